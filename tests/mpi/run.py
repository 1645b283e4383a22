"""Starts a program as several processes with mpirun; status 77 where mpirun is not installed.

Usage: run.py PROGRAM PROCESSES
"""
import os
import shutil
import subprocess
import sys

program, processes = sys.argv[1:]
mpirun = shutil.which("mpirun")
if not mpirun:
    print("skipped: there is no mpirun; install openmpi-bin (scripts/setup.sh does)")
    sys.exit(77)
environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", FRIT_NUM_THREADS="1")
# Open MPI keeps memory until the end, which a leak checker would report.
environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
sys.exit(subprocess.run([mpirun, "--oversubscribe", "-n", processes, program, processes], env=environment,
                        timeout=240).returncode)
