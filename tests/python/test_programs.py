"""Programs written for MLX get the same from frit around arrays, functions and layers."""
import copy
import gc
import pickle
import sys
import threading
from collections import namedtuple

import numpy as np
import pytest

import frit.core as mx
import frit.nn as nn
import frit.optimizers as optim
import frit.utils as utils

Pair = namedtuple("Pair", "a b")


def test_numbers_in_texts():
    assert f"{mx.array(1.5)}" == "1.5" and f"{mx.array(3)}" == "3" and f"{mx.array(True)}" == "True"
    assert f"{mx.array([1.5])}" == "array([1.5], dtype=float32)" and "%s" % mx.array(3) == "array(3, dtype=int32)"


def test_functions_return_named_tuples():
    r = mx.compile(lambda x: [Pair(x, x + 1)])(mx.array(1))[0]
    assert isinstance(r, Pair) and (r.a.item(), r.b.item()) == (1, 2)
    nested = mx.compile(lambda p: Pair(p.a + p.b, {"k": Pair(p.a, 3)}))(Pair(mx.array(1), mx.array(2)))
    assert nested.a.item() == 3 and nested.b["k"].b == 3


def test_vmap_of_one_result_takes_its_axis_in_a_tuple():
    a = mx.arange(6).reshape(2, 3)
    for axes in ((1,), [1], 1):
        assert mx.vmap(lambda x: x * 2, out_axes=axes)(a).tolist() == [[0, 6], [2, 8], [4, 10]]


def test_filled_arrays_take_memory_when_they_are_evaluated():
    before = mx.get_active_memory()
    a = mx.zeros((1024, 1024))
    mx.eval({"a": [a]})
    assert mx.get_active_memory() - before >= 4 << 20 and mx.get_array_buffer_size(a) == 4 << 20
    x = mx.full((1 << 18,), 2.5, mx.float16)
    mx.eval(x)
    held = mx.get_active_memory()
    x += 1
    mx.eval(x)
    assert mx.get_active_memory() == held and set(x[:7].tolist()) == {3.5}
    mx.reset_peak_memory()
    assert mx.get_peak_memory() == 0
    wide = mx.broadcast_to(mx.array([1.0, 2.0]), (1 << 20, 2))
    mx.eval(wide)
    assert mx.get_active_memory() - held < 1 << 20


def test_doubles_of_other_libraries_become_floats():
    assert mx.from_dlpack(np.ones(2)).dtype == mx.float32 and mx.from_dlpack(np.ones((2, 3)).T).dtype == mx.float32
    assert mx.from_dlpack(mx.ones(2, mx.float64)).dtype == mx.float64


def test_export_tells_a_callback_names_and_shapes():
    told = []
    mx.export_function(told.append, lambda x, k: mx.exp(x.reshape(2, 2)) * k, mx.ones(4), k=mx.array(2.0))
    assert [t["type"] for t in told[:4]] == ["inputs", "keyword_inputs", "outputs", "constants"]
    assert told[0]["inputs"] == [("A", (4,), mx.float32), ("B", (), mx.float32)] and told[1]["keywords"] == [("k", "B")]
    assert told[2]["outputs"] == [("C", (2, 2), mx.float32)]
    reshape = told[4]
    assert reshape["name"] == "Reshape" and reshape["arguments"] == [(2, 2)]
    assert reshape["inputs"] == [("A", (4,), mx.float32)] and reshape["outputs"][0][1:] == ((2, 2), mx.float32)


def test_exporters_refuse_what_they_have(tmp_path):
    path = str(tmp_path / "f.mlxfn")
    with mx.exporter(path, mx.abs) as e:
        e(mx.ones(2))
        with pytest.raises(RuntimeError):
            e(mx.ones(2))
    with pytest.raises(RuntimeError):
        e(mx.ones(3))
    with pytest.raises(TypeError):
        mx.exporter(path, 3)
    for bad in (lambda: mx.export_to_dot(path, 3), lambda: mx.export_to_dot(3, mx.ones(2))):
        with pytest.raises(ValueError):
            bad()


def test_layers():
    m = nn.Transformer(8, 2, 1, 1, custom_encoder=nn.Identity(), custom_decoder=nn.Identity())
    assert isinstance(m.encoder, nn.Identity) and isinstance(m.decoder, nn.Identity)
    assert list(nn.ConvTranspose2d(1, 1, 2, dilation=(1, 2)).keys())[-2:] == ["dilation", "output_padding"]
    linear = nn.Linear(2, 2)
    assert nn.fully_shard(linear) is linear
    # Keys' kernel with a = -0.5 over the elements that are there.
    up = nn.Upsample(2, mode="cubic", antialias=True)(mx.array([1.0, 2.0, 4.0, 8.0]).reshape(1, 4, 1)).reshape(-1)
    assert np.allclose(up, [0.91176468, 1.14598537, 1.64122141, 2.3828125, 3.3359375, 5.0229006, 7.28467178, 8.35294056], atol=1e-5)


def test_optimisers():
    with pytest.raises(ValueError):
        optim.cosine_decay(0.1, 0)
    for make in (optim.Adam, optim.AdamW, optim.Adamax, optim.Lion):
        for betas in ([1.0, 0.9], [0.9, 1.0], [-0.1, 0.9], [0.9, -0.1], [0.9, float("nan")]):
            with pytest.raises(ValueError):
                make(0.1, betas=betas)
        make(0.1, betas=[0.0, 0.0])
    for make, eps in ((optim.Adam, -1), (optim.AdamW, -1), (optim.Adamax, -1), (optim.RMSprop, 0), (optim.Adagrad, 0), (optim.AdaDelta, 0)):
        with pytest.raises(ValueError):
            make(0.1, eps=eps)
    optim.Adam(0.1, eps=0)
    with pytest.raises(ValueError):
        mx.isdtype(mx.float32, 3)


def test_random_numbers_take_no_type_for_the_usual_one():
    key = mx.random.key(3)
    for f, usual in ((mx.random.uniform, mx.float32), (mx.random.normal, mx.float32), (mx.random.gumbel, mx.float32), (mx.random.laplace, mx.float32)):
        assert mx.array_equal(f(shape=(3,), dtype=None, key=key), f(shape=(3,), dtype=usual, key=key)).item()
    assert mx.random.randint(0, 9, (2,), None, key=key).dtype == mx.int32
    for f in (mx.random.normal, mx.random.laplace):
        wide = f((100,), mx.float64, key=key)
        assert wide.dtype == mx.float64 and np.allclose(wide, f((100,), key=key), rtol=1e-6)
    assert np.allclose(mx.random.normal((2,), mx.float64, loc=3.0, scale=0.0, key=key), 3.0)
    with pytest.raises(TypeError):
        mx.random.permutation(1.5)


def test_rows_of_a_factored_matrix_lie_where_the_permutation_says():
    for shape in ((3, 3), (5, 5), (2, 4, 4), (5, 3), (2, 5)):
        a = mx.random.normal(shape, key=mx.random.key(sum(shape)))
        p, lower, upper = mx.linalg.lu(a)
        rows = mx.take_along_axis(lower @ upper, mx.expand_dims(p, -1).astype(mx.int32), axis=-2)
        assert mx.allclose(rows, a, atol=1e-5).item()


@pytest.mark.parametrize("error, call", [
    (ValueError, lambda: mx.fft.fftn(mx.array(1.0))),
    (ValueError, lambda: mx.fft.fft(mx.array(1.0), n=4)),
    (IndexError, lambda: mx.fft.fft2(mx.array(1.0))),
    (ValueError, lambda: mx.linalg.norm(mx.ones((2, 2)), axis=(0, 1, 2))),
    (ValueError, lambda: mx.linalg.norm(mx.ones(2), "fro", axis=3)),
])
def test_bad_axes(error, call):
    with pytest.raises(error):
        call()


def test_rules_leave_out_cotangents():
    @mx.custom_function
    def f(x, y):
        return x * y

    @f.vjp
    def rule(primals, cotangent, output):
        return cotangent * 5, None

    gradients = mx.grad(f, (0, 1))(mx.array(1.0), mx.array(2.0))
    assert [g.item() for g in gradients] == [5, 0]


def test_types_say_the_module_that_a_program_sees(monkeypatch):
    assert str(mx.float32) == "frit.core.float32"
    monkeypatch.setitem(sys.modules, "mlx.core", mx)
    assert str(mx.float32) == "mlx.core.float32" and repr(mx.bool_) == "mlx.core.bool"


def test_paths_of_einsum_show_the_text_that_was_given():
    assert "contraction:  ij , jk\n" in mx.einsum_path("ij , jk", mx.ones((2, 3)), mx.ones((3, 4)))[1]
    with pytest.raises(ValueError):
        mx.unique(mx.array([1, 2]), 3, fill_value=mx.array([1, 2]))


def test_names_that_programs_import_from_modules_inside():
    from frit.nn.layers.convolution_transpose import ConvTranspose2d
    from frit.nn.layers.distributed import sum_gradients
    from frit.nn.layers.upsample import upsample_cubic, upsample_linear, upsample_nearest

    assert ConvTranspose2d is nn.ConvTranspose2d
    alone = sum_gradients(mx.distributed.init())
    assert mx.grad(lambda x: (alone(x) * 3).sum())(mx.ones(2)).tolist() == [3, 3]
    x = mx.arange(4.0).reshape(1, 2, 2, 1)
    assert upsample_nearest(x, (2, 1)).reshape(4, 2).tolist() == [[0, 1], [0, 1], [2, 3], [2, 3]]
    assert upsample_linear(x, (2, 2), align_corners=True).shape == upsample_cubic(x, (2, 2)).shape == (1, 4, 4, 1)


def test_kernels_of_other_languages_fail_where_they_are_called():
    kernel = mx.fast.metal_kernel(name="k", input_names=["x"], output_names=["y"], source="")
    with pytest.raises(RuntimeError, match="metal_kernel"):
        kernel(inputs=[mx.ones(1)], template=[], grid=(1, 1, 1), threadgroup=(1, 1, 1), output_shapes=[(1,)], output_dtypes=[mx.float32])


def test_shapeless_attention_with_fewer_heads_of_keys():
    q, k, v = mx.random.normal((1, 8, 5, 4)), mx.random.normal((1, 2, 7, 4)), mx.random.normal((1, 2, 7, 4))
    mask = mx.random.normal((1, 8, 5, 7)) > 0
    for options in ({"mask": mask}, {"sinks": mx.ones(8)}, {"mask": mask[0, 0], "sinks": mx.zeros(8)}, {}):
        f = lambda q, k, v: mx.fast.scaled_dot_product_attention(q, k, v, scale=0.5, **options)
        compiled = mx.compile(f, shapeless=True)
        for heads in (2, 1):
            a = (q, k[:, :heads], v[:, :heads])
            assert mx.allclose(compiled(*a), f(*a), atol=1e-5)


def test_shapeless_codes_that_cross_words():
    x, w = mx.random.normal((3, 256)), mx.random.normal((8, 256))
    for bits in (3, 5, 6):
        f = lambda w: mx.dequantize(*mx.quantize(w, 32, bits), group_size=32, bits=bits)
        g = lambda x, q: mx.quantized_matmul(x, *q, group_size=32, bits=bits)
        open_f, open_g = mx.compile(f, shapeless=True), mx.compile(g, shapeless=True)
        for n in (256, 128):
            q = mx.quantize(w[:, :n], 32, bits)
            assert mx.array_equal(open_f(w[:, :n]), f(w[:, :n]))
            assert mx.allclose(open_g(x[:2, :n], q), g(x[:2, :n], q), atol=1e-4)


def test_quantised_products_of_integers():
    x, w = mx.ones((2, 64), mx.int32), mx.ones((8, 64), mx.float16)
    assert mx.quantized_matmul(x, *mx.quantize(w)).dtype == mx.float16
    with pytest.raises(ValueError):
        mx.quantized_matmul(x, *mx.quantize(w, mode="mxfp4"), mode="mxfp4")


def test_exported_arguments_in_a_list_and_a_dict(tmp_path):
    path, x = str(tmp_path / "f.mlxfn"), mx.array([1.0, 2.0])
    for arguments in (((x,), {"k": x}), ([x], {"k": x}), ({"x": x, "k": x},)):
        mx.export_function(path, lambda x, k: x * k + 1, *arguments)
        assert mx.import_function(path)(*arguments)[0].tolist() == [2, 5]
    mx.export_function(path, lambda x, k: x * k + 1, (x,), {"k": x})
    assert mx.import_function(path)(x, k=x)[0].tolist() == [2, 5]
    for bad in ((x, {"k": x}), ({"k": x}, (x,)), ((x,), (x,)), ((x,), {"k": x}, {"z": x})):
        with pytest.raises(ValueError):
            mx.export_function(path, lambda *a, **k: x, *bad)


def test_batch_norm_refuses_to_train_on_one_value():
    layer = nn.BatchNorm(4)
    for shape in ((1, 4), (1, 1, 4), (1, 1, 1, 4)):
        with pytest.raises(ValueError):
            layer(mx.ones(shape))
    assert layer.eval()(mx.ones((1, 4))).shape == (1, 4)


def test_bfloat16_is_no_array_of_numpy():
    with pytest.raises(TypeError):
        mx.ones(2, mx.bfloat16).__array__()


def test_threads_have_random_states_of_their_own():
    mx.random.seed(4)
    first = mx.random.uniform().item()
    mx.random.seed(4)
    seen = []

    def work():
        seen.append(mx.random.uniform().item())
        mx.random.seed(4)
        seen.append(mx.random.uniform().item())

    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert mx.random.uniform().item() == first and seen.count(first) == 2 and len(set(seen)) == 3


def test_updates_of_slices_have_the_sizes_of_their_window():
    x = mx.zeros((2, 3))
    for update, axes, expected in (
        (mx.ones((1, 1)), [1], [[0, 1, 0], [0, 0, 0]]),
        (mx.ones((2, 1)), [1], [[0, 1, 0], [0, 1, 0]]),
        (mx.ones((1, 2)), [0], [[0, 0, 0], [1, 1, 0]]),
        (mx.ones(2), [1], [[0, 1, 1], [0, 1, 1]]),
        (mx.ones(2), [0], [[0, 0, 0], [1, 1, 0]]),
    ):
        assert mx.slice_update(x, update, mx.array([1]), axes).tolist() == expected


def test_gathered_products_of_a_vector():
    a, b = mx.arange(4.0), mx.arange(24.0).reshape(2, 4, 3)
    assert mx.gather_mm(a, b, rhs_indices=mx.array([1, 0])).tolist() == mx.stack([a @ b[1], a @ b[0]]).tolist()


def test_empty_containers_of_two_kinds_do_not_merge():
    from frit.utils import tree_merge

    assert tree_merge({}, {}) == {} and tree_merge([], []) == [] and tree_merge({}, {"a": 1}) == {"a": 1}
    with pytest.raises(ValueError):
        tree_merge({}, [])


def test_one_offset_in_a_list_turns_every_batch():
    x = mx.random.normal((2, 3, 5, 8))
    f = lambda x, offset: mx.fast.rope(x, 8, traditional=False, base=100.0, scale=1.0, offset=offset)
    for batch in (2, 1):
        for run in (f, mx.compile(f), mx.compile(f, shapeless=True)):
            assert mx.allclose(run(x[:batch], mx.array([3])), f(x[:batch], 3), atol=1e-5)
    with pytest.raises(ValueError):
        f(x, mx.array([1, 2, 3]))


def test_slopes_of_heads_between_two_powers_of_two():
    # Four heads, then every other slope of eight; and of eight heads, then every other one of sixteen.
    def slopes(heads):
        return nn.ALiBi.create_alibi_slope(heads).reshape(-1).tolist()
    assert slopes(6) == [2.0**-2, 2.0**-4, 2.0**-6, 2.0**-8, 2.0**-1, 2.0**-3]
    assert np.allclose(slopes(10), [2.0**-i for i in range(1, 9)] + [2.0**-0.5, 2.0**-1.5])
    assert slopes(3) == [2.0**-4, 2.0**-8, 2.0**-2] and slopes(1) == [2.0**-8]


def test_merged_trees_have_nothing_in_one_place():
    for a, b in ((None, None), ([None], [None]), ({"a": None}, {"a": None}), (None, []), ({}, None)):
        with pytest.raises(ValueError):
            utils.tree_merge(a, b)
    assert utils.tree_merge({"a": None}, {"a": None}, lambda x, y: 3) == {"a": 3}
    assert utils.tree_merge([None, 3], [2, None, 5]) == [2, 3, 5] and utils.tree_merge({}, {}) == {}


def test_types_of_arguments():
    q = mx.ones((1, 1, 2, 4))
    for mask in (3, 2.5, [[1]]):
        with pytest.raises(TypeError):
            mx.fast.scaled_dot_product_attention(q, q, q, scale=1.0, mask=mask)
    for offset in (2.5, "a", [1], True):
        with pytest.raises(ValueError):
            mx.fast.rope(q, 4, traditional=False, base=10.0, scale=1.0, offset=offset)
    for widths in ((1, 2, 3), ((1, 2, 3), (1, 2, 3))):
        with pytest.raises(TypeError):
            mx.pad(mx.ones((2, 2)), widths)
    image, kernel = mx.ones((1, 4, 4, 1)), mx.ones((1, 2, 2, 1))
    for given in ({"stride": (1, 2, 3)}, {"padding": (1,)}, {"dilation": []}):
        with pytest.raises(TypeError):
            mx.conv2d(image, kernel, **given)
    with pytest.raises(TypeError):
        mx.tensordot(mx.ones((2, 2)), mx.ones((2, 2)), mx.array(1.5))
    with pytest.raises(ValueError):
        mx.take_along_axis(mx.ones((2, 2)), mx.array(1.5), 1)
    with pytest.raises(RuntimeError):
        mx.take_along_axis(mx.ones((2, 2)), mx.ones((2, 2)), 1)
    with pytest.raises(ValueError):
        mx.take_along_axis(mx.ones((2, 2)), mx.array([[0], [1]]), None)
    assert mx.take_along_axis(mx.array([[1, 2], [3, 4]]), mx.array([3, 0]), None).tolist() == [4, 1]


def test_one_position_takes_the_last_of_several_values():
    a = mx.zeros((2, 3))
    values = mx.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    assert mx.put_along_axis(a, mx.array([[0], [1]]), values, 1).tolist() == [[3, 0, 0], [0, 6, 0]]
    assert mx.put_along_axis(a, mx.array([[1]]), mx.array([7.0, 8.0]), 1).tolist() == [[0, 8, 0], [0, 8, 0]]


def test_axes_of_the_only_argument_of_a_mapped_function():
    x, y = mx.arange(6).reshape(2, 3), mx.arange(6).reshape(3, 2)
    both = {"a": x, "b": y}
    want = (x + y.T).tolist()
    add = mx.vmap(lambda t: t["a"] + t["b"], in_axes={"a": 0, "b": 1})
    assert add(both).tolist() == want
    assert mx.vmap(lambda t: t["a"] + t["b"], in_axes=({"a": 0, "b": 1},))(both).tolist() == want
    for axes in ((0, 1), [0, 1], ([0, 1],)):
        assert mx.vmap(lambda t: t[0] + t[1], in_axes=axes)([x, y]).tolist() == want
    assert mx.vmap(lambda t: t[0] + t[1], in_axes=(0,))([x, y.T]).tolist() == want
    for wrong in ({"a": 0}, {"a": 0, "c": 1}, (0, 1, 1), "a", 1.5):
        with pytest.raises(ValueError):
            mx.vmap(lambda t: t["a"], in_axes=wrong)(both)


@pytest.mark.parametrize("made", [mx.ones, mx.zeros, lambda n: mx.array([1.0] * n), lambda n: mx.full((n,), 2.5)])
def test_reading_an_argument_leaves_its_derivative(tmp_path, made):
    reads = [mx.eval, lambda x: mx.eval([x, {"x": x}]), lambda x: x.tolist(), str, np.array, memoryview, list,
             lambda x: mx.save(str(tmp_path / "x.npy"), x), lambda x: mx.savez(str(tmp_path / "x.npz"), x=x, y=x + 1),
             lambda x: mx.save_safetensors(str(tmp_path / "x"), {"x": x, "y": x + 1}), lambda x: bool(x[0])]
    for read in reads:
        x = made(3)

        def f(x):
            read(x)
            return (x * x).sum()

        assert mx.grad(f)(x).tolist() == (2 * x).tolist()
    assert mx.load(str(tmp_path / "x.npz"))["y"].tolist() == (x + 1).tolist()


def test_nothing_is_computed_asynchronously_in_a_trace():
    x = mx.ones(2)
    for early in (lambda x: mx.async_eval(x), lambda x: mx.async_eval([x + 1])):
        f = lambda x: (early(x), (x * x).sum())[1]
        for call in (mx.grad(f), mx.vmap(f), mx.compile(f), lambda x: mx.jvp(f, [x], [x])):
            with pytest.raises(ValueError):
                call(x)
    assert mx.grad(lambda x: (mx.async_eval(mx.ones(2) + 1), x.sum())[1])(x).tolist() == [1, 1]


def test_copies_of_other_arrays_count_as_memory():
    # Arrays of earlier tests may wait for the collector, or for work that no one waited for.
    gc.collect()
    mx.synchronize()
    for other in (np.ones((256, 1024), np.float32), np.arange(1 << 18, dtype=np.int32).reshape(256, -1).T):
        before = mx.get_active_memory()
        a = mx.array(other)
        assert mx.get_active_memory() - before >= other.nbytes
        del a
        assert mx.get_active_memory() == before
    # Types that are converted, and none of the elements.
    assert mx.array(np.array([1.5, 2.5])).tolist() == [1.5, 2.5] and mx.array(np.zeros((0, 2))).shape == (0, 2)
    assert mx.array(np.array([1 + 2j])).tolist() == [1 + 2j] and mx.array(np.array([3], np.int64), mx.int8).dtype == mx.int8


def test_freezing_by_name_asks_for_one_module_that_has_it():
    def frozen(model):
        return [sorted(m._no_grad) for _, m in sorted(model.named_modules())]

    model = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1, bias=False))
    model.freeze(keys=["bias"], strict=True)
    assert list(utils.tree_flatten(model.trainable_parameters(), destination={})) == ["layers.0.weight", "layers.2.weight"]
    before = frozen(model)
    for change in (model.freeze, model.unfreeze):
        with pytest.raises(KeyError):
            change(keys=["weight", "scale"], strict=True)
        with pytest.raises(KeyError):
            change(keys="weight", strict=True, recurse=False)
        assert frozen(model) == before
    model.unfreeze(keys="bias", strict=True)
    assert "bias" in model.layers[0].trainable_parameters() and model.freeze(keys="scale") is model


def test_pooling_refuses_sizes_that_make_no_window():
    for sizes in (0,), ((3, 0),), (2, -1), (2, 0), (2, 1, -1), (2, None, None), ((2, -2), 1), (2, (1, 2), (0, -3)):
        for layer in nn.MaxPool2d, nn.AvgPool2d:
            with pytest.raises(ValueError):
                layer(*sizes)
    assert nn.MaxPool1d(2, 1, 1)(mx.array([[[-3.0], [-2.0]]])).tolist() == [[[-3], [-2], [-2]]]


def test_a_layer_can_follow_its_mode():
    class Merged(nn.Linear):
        def _set_training_mode(self, mode):
            super()._set_training_mode(mode)
            self.scale = 1 if mode else 2

    model = nn.Sequential(Merged(2, 2), nn.Dropout(0.5))
    for mode, scale in (False, 2), (True, 1):
        model.train(mode)
        assert model.layers[0].scale == scale and all(m.training == mode for m in model.modules())
    assert model.eval().layers[0].scale == 2


@pytest.mark.parametrize("approx", ["none", "precise", "tanh", "fast"])
def test_activations_are_copied_and_pickled_with_their_model(approx):
    model = nn.Sequential(nn.Linear(2, 2), nn.GELU(approx))
    x = mx.array([[0.5, -1.0]])
    for other in copy.deepcopy(model), pickle.loads(pickle.dumps(model)):
        assert other(x).tolist() == model(x).tolist()


def test_clipping_refuses_a_negative_norm():
    with pytest.raises(ValueError):
        optim.clip_grad_norm({"w": mx.array([3.0, 4.0])}, -1.0)
    assert optim.clip_grad_norm({"w": mx.array([3.0, 4.0])}, 0.0)[0]["w"].tolist() == [0, 0]


def test_losses_leave_open_sizes_open(tmp_path):
    def loss(logits, classes, found, wanted):
        return nn.losses.cross_entropy(logits, classes, reduction="mean"), nn.losses.mse_loss(found, wanted)

    def arguments(n, m):
        logits, found = mx.random.normal((n, m), key=mx.random.key(n)), mx.random.normal((n, m), key=mx.random.key(m))
        return logits, mx.arange(n) % m, found, mx.zeros((n, m))

    def check(f):
        for shape in ((3, 4), (5, 2), (1, 7)):
            for found, wanted in zip(f(*arguments(*shape)), loss(*arguments(*shape))):
                assert mx.allclose(found, wanted, rtol=1e-5)

    compiled = mx.compile(loss, shapeless=True)
    check(compiled)
    assert compiled.trace_count == 1
    path = str(tmp_path / "loss.mlxfn")
    mx.export_function(path, loss, *arguments(3, 4), shapeless=True)
    check(mx.import_function(path))
    with pytest.raises(ValueError, match="targets have shape"):
        compiled(mx.ones((3, 4)), mx.zeros((2,), mx.int32), mx.ones((3, 4)), mx.ones((3, 4)))
    # Arrays of NumPy fit, too, and what has no shape does not.
    assert nn.losses.mse_loss(mx.ones((2, 2)), np.ones((2, 2), np.float32)).item() == 0
    with pytest.raises(AttributeError):
        nn.losses.cross_entropy(mx.ones((2, 2)), mx.zeros((2,), mx.int32), "sum")


# Values of MLX 0.32.4: the rate grows with the last two axes of the parameter.
@pytest.mark.parametrize("shape, expected", [
    ((2, 3, 1), [0.1140127, -0.2006537, 0.558253, -1.0569359, 0.2355659, 2.0144255]),
    ((2, 1, 3), [0.1080903, -0.2003774, 0.5336324, -1.032872, 0.2416665, 2.0083287]),
])
def test_muon_of_filters(shape, expected):
    weights = {"w": mx.array([0.1, -0.2, 0.5, -1.0, 0.25, 2.0]).reshape(shape)}
    gradients = {"w": mx.array([0.3, 0.1, -0.4, 0.7, 0.2, -0.6]).reshape(shape)}
    moved = optim.Muon(0.05).apply_gradients(gradients, weights)["w"]
    np.testing.assert_allclose(np.array(moved).ravel(), expected, atol=1e-5)
