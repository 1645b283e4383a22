"""frit run from the outside: inputs, sizes and results.

FRIT_CLI names the program, FRIT_GRAPHS the folder of example graphs. Needs Python's standard library alone.
"""
import math
import os
import re
import struct

from cli_case import ADD, GRAPHS, CliTest, main, read_npy, write_npy


class Run(CliTest):
    def test_every_example(self):
        sizes = {"attention": ["h=2", "n=5"], "gelu": ["n=3", "m=7"], "mlp": ["b=4"], "layer_norm": ["n=3"], "rms_norm": ["n=3"],
                 "softmax": ["n=3", "m=9"], "swiglu": ["b=2", "n=16"]}
        graphs = sorted(GRAPHS.glob("*.frit"))
        self.assertEqual({g.stem for g in graphs} - set(sizes), set())
        for graph in graphs:
            with self.subTest(graph=graph.name):
                set_sizes = [word for s in sizes[graph.stem] for word in ("--set", s)]
                first = self.text("run", graph, "--random", 1, *set_sizes)
                self.assertRegex(first, r"^result 0: f32\[[\d, ]+\] = ")
                self.assertEqual(first, self.text("run", graph, "--random", 1, *set_sizes))
                self.assertNotEqual(first, self.text("run", graph, "--random", 2, *set_sizes))

    def test_npy_round_trip(self):
        graph = self.write("add.frit", ADD)
        x = [0.0, -0.0, 1.5, float("inf"), float("nan"), -2.0]
        y = [1.0, -0.0, 2.0, 1.0, 1.0, 1e-45]
        write_npy(self.path("x.npy"), "f", (2, 3), x)
        write_npy(self.path("y.npy"), "f", (2, 3), [y[0], y[3], y[1], y[4], y[2], y[5]], fortran=True, version=2)
        self.text("run", graph, "--input", "x=" + self.path("x.npy"), "--input", "y=" + self.path("y.npy"), "--output", self.path("out"))
        kind, shape, values = read_npy(self.path("out/0.npy"))
        self.assertEqual((kind, shape), ("<f4", (2, 3)))
        for got, a, b in zip(values, x, y):
            want = struct.unpack("<f", struct.pack("<f", a + b))[0]
            self.assertEqual(struct.pack("<f", got) if got == got else None, struct.pack("<f", want) if want == want else None)
        self.assertEqual(self.files(), ["add.frit", "out", "out/0.npy", "x.npy", "y.npy"])

    def test_types_shapes_and_several_results(self):
        for code, name in (("f", "f32"), ("d", "f64"), ("i", "i32"), ("q", "i64"), ("B", "u8")):
            for shape in ((), (0,), (4,), (2, 0, 3), (2, 1, 2)):
                with self.subTest(type=name, shape=shape):
                    of = f"{name}[{', '.join(map(str, shape))}]"
                    values = [v + 1 for v in range(math.prod(shape))]
                    write_npy(self.path("x.npy"), code, shape, values)
                    graph = f"func @f(%x: {of}) -> ({of}, {of}, {of}) {{\n  %0: {of} = add %x, %x\n  return %0, %x, %0\n}}\n"
                    self.text("run", "-", "--input", "x=" + self.path("x.npy"), "--output", self.path("out"), stdin=graph)
                    doubled = [2 * v for v in values]
                    for i, want in enumerate((doubled, values, doubled)):
                        kind, got_shape, got = read_npy(self.path(f"out/{i}.npy"))
                        self.assertEqual((got_shape, got), (shape, want))

    def test_nothing_returned_and_nothing_taken(self):
        self.assertEqual(self.text("run", "-", stdin="func @f() -> () {\n  return\n}\n"), "")
        self.assertRegex(self.text("run", "-", stdin="func @f() -> i32[] {\n  %0: i32[] = constant 7\n  return %0\n}\n"),
                         r"^result 0: i32\[\] = 7\n$")

    def test_time_and_repeat(self):
        _, error = self.frit("run", GRAPHS / "gelu.frit", "--random=1", "--set=n=2", "--set=m=2", "--repeat=3", "--time")
        self.assertRegex(error, r"compile \d+\.\d+ ms; run: median \d+\.\d+ ms, least \d+\.\d+ ms, most \d+\.\d+ ms of 3\nmemory: at most \d+ B for results and workspace .*\n$")

    def test_sizes_are_checked(self):
        swiglu = GRAPHS / "swiglu.frit"
        self.assertIn("@swiglu needs that n is a multiple of 16, but 'gate' is f32[1, 17]",
                      self.error(1, "run", swiglu, "--random=1", "--set=b=1", "--set=n=17"))
        self.assertIn("axis 0 of 'gate' (b) is in [1, 65536], but 'gate' is f32[0, 16]",
                      self.error(1, "run", swiglu, "--random=1", "--set=b=0", "--set=n=16"))
        self.assertIn("takes with n = 17\n", self.error(1, "run", swiglu, "--random=1", "--set=n=17"))
        self.assertIn("--random", self.error(1, "run", swiglu))

    def test_facts_of_several_sizes_are_checked(self):
        graph = ("func @f(%x: f32[n, m], %y: f32[m]) -> f32[4, (m*n // 4)] where n <= m, m*n % 4 == 0 {\n"
                 "  %0: f32[4, (m*n // 4)] = reshape %x {shape=[4, (m*n // 4)]}\n  return %0\n}\n")
        sizes = lambda n, m: ("run", "-", "--random=1", f"--set=n={n}", f"--set=m={m}")
        self.assertIn("result 0: f32[4, 6]", self.text(*sizes(4, 6), stdin=graph))
        self.assertIn("@f needs that n <= m, but 'x' is f32[6, 4]\n", self.error(1, *sizes(6, 4), stdin=graph))
        self.assertIn("@f needs that m*n is a multiple of 4, but 'x' is f32[3, 5]\n", self.error(1, *sizes(3, 5), stdin=graph))
        write_npy(self.path("y.npy"), "f", (7,), [0.0] * 7)
        write_npy(self.path("x.npy"), "f", (4, 8), [0.0] * 32)
        self.assertIn("@f needs that axis 0 of 'y' equals axis 1 of 'x', but 'x' is f32[4, 8] and 'y' is f32[7]\n",
                      self.error(1, "run", "-", "--input", "x=" + self.path("x.npy"), "--input", "y=" + self.path("y.npy"), stdin=graph))
        shrinks = "func @f(%x: f32[n], %y: f32[n - 3]) {\n  return\n}\n"
        self.assertIn("the size n - 3 of input 'y' is -1", self.error(1, "run", "-", "--random=1", "--set=n=2", stdin=shrinks))

    def test_strides_are_checked(self):
        graph = "func @f(%x: f32[n, 3] strides [{}, 1]){} {{\n  return\n}}\n"
        arguments = ("run", "-", "--random=1", "--set=n=4")
        for stride, where in (("3", ""), ("s", ""), ("s", " where s in [3, 8]"), ("7", ""), ("n", "")):
            self.text(*arguments, stdin=graph.format(stride, where))
        for stride, where in (("s", " where s in [4, 8]"), ("s", " where s % 2 == 0"), ("2", ""), ("0", "")):
            self.assertRegex(self.error(1, *arguments, stdin=graph.format(stride, where)),
                             r"function @f takes 'x' with strides \[\d, 1\].*, but strides \[3, 1\] are given")

    def test_sizes_are_drawn(self):
        swiglu = GRAPHS / "swiglu.frit"
        said, told = self.frit("run", swiglu, "--random=1")
        text = said.decode()
        found = re.fullmatch(r"sizes drawn from the seed: b = (\d+), n = (\d+)\n", told)
        self.assertTrue(found, told)
        self.assertEqual(int(found[2]) % 16, 0)
        self.assertIn(f"result 0: f32[{found[1]}, {found[2]}] = ", text)
        self.assertEqual((said, told), self.frit("run", swiglu, "--random=1"))
        self.assertEqual(text, self.text("run", swiglu, "--random=1", f"--set=b={found[1]}", f"--set=n={found[2]}"))
        seeds = {self.frit("run", swiglu, "--random", seed)[1] for seed in range(2, 7)}
        self.assertGreater(len(seeds), 1)
        self.assertRegex(self.frit("run", swiglu, "--random=1", "--set=n=32")[1], r"^sizes drawn from the seed: b = \d+\n$")
        self.assertEqual(self.frit("run", swiglu, "--random=1", "--set=n=32", "--set=b=2")[1], "")
        # A size that a file gives is not drawn.
        write_npy(self.path("gate.npy"), "f", (3, 16), [0.0] * 48)
        said, told = self.frit("run", swiglu, "--random=1", "--input", "gate=" + self.path("gate.npy"))
        self.assertEqual(told, "")
        self.assertIn(b"f32[3, 16]", said)
        package = self.path("s.fritpkg")
        self.frit("compile", swiglu, "-o", package)
        self.assertEqual(self.frit("run", package, "--random=1"), self.frit("run", swiglu, "--random=1"))

    def test_inputs_are_checked(self):
        graph = self.write("add.frit", ADD)
        write_npy(self.path("a.npy"), "f", (2, 3), [0.0] * 6)
        cases = {"rank": ("f", (6,)), "type": ("d", (2, 3)), "size": ("f", (2, 4)), "symbol": ("f", (3, 3))}
        for name, (code, shape) in cases.items():
            with self.subTest(case=name):
                write_npy(self.path("b.npy"), code, shape, [0] * math.prod(shape))
                error = self.error(1, "run", graph, "--input", "x=" + self.path("a.npy"), "--input", "y=" + self.path("b.npy"),
                                   "--output", self.path("out"))
                self.assertIn("'y'", error)
                self.assertFalse(os.path.exists(self.path("out")))

    def test_damaged_npy(self):
        graph = self.write("add.frit", ADD)
        write_npy(self.path("good.npy"), "f", (1, 3), [1.0, 2.0, 3.0])
        good = (self.folder / "good.npy").read_bytes()
        damaged = [b"", good[:3], good[:9], good[:40], good[:-1], b"PK\x03\x04" + good[4:], good[:6] + b"\x09" + good[7:],
                   good.replace(b"'<f4'", b"'<f9'"), good.replace(b"(1, 3, )", b"(-1, 3,)"), good.replace(b"(1, 3, )", b"(9999999)"),
                   good.replace(b"'shape'", b"'shame'"), good.replace(b"{", b"["), good[:8] + b"\xff\xff" + good[10:]]
        for data in damaged:
            with self.subTest(data=data[:80]):
                bad = self.write("bad.npy", data)
                error = self.error(1, "run", graph, "--input", f"x={bad}", "--random=1", "--output", self.path("out"))
                self.assertIn("bad.npy", error)
                self.assertFalse(os.path.exists(self.path("out")))
        # Other data may follow the array, as in a file of several.
        more = self.write("more.npy", good + b"x")
        whole = self.text("run", graph, "--input", "x=" + self.path("good.npy"), "--random=1")
        self.assertEqual(self.text("run", graph, "--input", f"x={more}", "--random=1"), whole)
        self.assertIn("nowhere.npy", self.error(1, "run", graph, "--input", "x=" + self.path("nowhere.npy"), "--random=1"))


if __name__ == "__main__":
    main()
