"""Absent parts of Vulkan: no loader, no driver, a device without a needed feature.

Each is an error with its reason and a cure; the CPU goes on.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

CLI, GRAPHS = os.environ["FRIT_CLI"], os.environ["FRIT_GRAPHS"]
failures = []


def run(arguments, **environment):
    done = subprocess.run([CLI, *arguments], capture_output=True, text=True, env={**os.environ, "FRIT_CACHE": "off", **environment})
    return done.returncode, done.stdout + done.stderr


def says(what, result, *parts, status=1):
    if result[0] != status or any(p not in result[1] for p in parts):
        failures.append(f"{what}: wanted status {status} and {parts}, got {result[0]} and\n{result[1]}")


GELU = ["run", str(pathlib.Path(GRAPHS) / "gelu.frit"), "--random=1", "--set=n=3", "--set=m=40"]
GPU = ["--device=vulkan"]

absent = {"no loader": ({"FRIT_VULKAN_LOADER": "libthere_is_none.so.1"}, "vulkan's loader cannot be opened"),
          "no driver": ({"VK_ICD_FILENAMES": "/nonexistent.json", "VK_DRIVER_FILES": "/nonexistent.json"},
                        "install the gpu's driver, or run on the cpu")}
for name, (environment, reason) in absent.items():
    says(name, run(GELU + GPU, **environment), reason)
    says(name + ", devices", run(["devices"], **environment), "gpu: none", status=0)
    says(name + ", on the cpu", run(GELU, **environment), "result 0", status=0)

if "gpu: none" in run(["devices"])[1]:
    print("there is no gpu here: features are not tried")
else:
    says("no such device", run(GELU + GPU, FRIT_VULKAN_DEVICE="none of that name"), "FRIT_VULKAN_DEVICE is 'none of that name'", "the devices are 0:")
    says("limit", run(["run", str(pathlib.Path(GRAPHS) / "gelu.frit"), "--random=1", "--set=n=4000", "--set=m=4096"] + GPU,
                      FRIT_VULKAN_MEMORY_LIMIT="40"), "the memory limit is")
    with tempfile.TemporaryDirectory() as folder:
        def one(dtype, op):
            path = pathlib.Path(folder) / f"{dtype}_{op}.frit"
            path.write_text(f"func @f(%x: {dtype}[8, 8]) -> {dtype}[8, 8] {{\n  %0: {dtype}[8, 8] = {op}\n  return %0\n}}\n")
            return ["run", str(path), "--random=1"] + GPU

        lacks = [("float64", one("f64", "exp %x"), "kernel @f_0_exp", "no shaderFloat64", "cast to float32, or run it on the cpu"),
                 ("int64", one("i64", "negative %x"), "kernel @f_0_negative", "no shaderInt64", "cast to int32, or run it on the cpu"),
                 ("storage16", one("f16", "exp %x"), "kernel @f_0_exp", "no storageBuffer16BitAccess", "cast to float32"),
                 ("storage8", one("u8", "add %x, %x"), "kernel @f_0_add", "no storageBuffer8BitAccess", "cast to int32"),
                 ("float64", one("f64", "matmul %x, %x"), "op 'matmul' of float64", "no shaderFloat64", "cast to float32"),
                 ("storage16", one("bf16", "matmul %x, %x"), "op 'matmul' of bfloat16", "no storageBuffer16BitAccess", "cast to float32"),
                 ("int64", one("f32", "matmul %x, %x"), "op 'matmul' of float32", "no shaderInt64", "run the function on the cpu")]
        for feature, command, *parts in lacks:
            says(f"without {feature}", run(command, FRIT_VULKAN_WITHOUT=feature), *parts)
            says(f"with {feature}", run(command), "result 0", status=0)
        # Graphs that do not need the feature run and give the same results.
        plain = run(GELU + GPU)
        for without in ("int64", "float64", "storage8,storage16", "shuffle", "int64,float64,storage8,storage16,shuffle,matrix16"):
            less = run(GELU + GPU, FRIT_VULKAN_WITHOUT=without)
            if less[0] or "result 0" not in less[1] or "vulkan: " in less[1] or plain[1].split()[:8] != less[1].split()[:8]:
                failures.append(f"gelu without {without}: {less}, and with everything {plain}")

for f in failures:
    print(f)
sys.exit(1 if failures else 0)
