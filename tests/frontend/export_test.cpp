// Functions as files: an exported function is imported as the same function, whatever its shapes, names, weights and
// file form.
#include <frit/frit.h>

#include <filesystem>
#include <fstream>

#include "helpers.h"

using namespace frit;
namespace fs = std::filesystem;

namespace {

class Export : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "frit-export-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string path(const std::string& file) const { return (folder_ / file).string(); }
  static std::string text(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  fs::path folder_;
};

// 0, 1, 2, ... divided by 7.
array ramp(Shape shape) {
  int n = 1;
  for (int s : shape) n *= s;
  return reshape(astype(arange(n), float32) / array(7.0f), shape);
}

Args mlp(const array& w, const array& bias, const Args& in) {
  return {maximum(matmul(in[0], w) + bias, array(0.0f)), sum(in[0])};
}

TEST_F(Export, RoundTripOfOneShape) {
  const ArgsFunction f = [](const Args& in) -> Args { return {exp(in[0]) + in[1], in[1]}; };
  const Args in{ramp({2, 3}), ramp({3})};
  export_function(path("f.frit"), f, in);
  EXPECT_EQ(files(), std::vector<std::string>{"f.frit"});
  EXPECT_TRUE(contains(text(path("f.frit")), "func @f(%x: f32[2, 3], %y: f32[3]) -> (f32[2, 3], f32[3])"))
      << text(path("f.frit"));
  const ImportedFunction g = import_function(path("f.frit"));
  EXPECT_EQ(g.name(), "f");
  const Args want = f(in), got = g(in);
  ASSERT_EQ(got.size(), 2u);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(values<float>(got[i]), values<float>(want[i]));
  const std::string refused = thrown<InvalidArgument>([&] { g({ramp({2, 4}), ramp({3})}); });
  EXPECT_TRUE(contains(refused, "function f has no trace that takes (float32 (2,4), float32 (3))")) << refused;
  EXPECT_TRUE(contains(refused, "func @f(%x: f32[2, 3]")) << refused;
  EXPECT_NE(thrown<InvalidArgument>([&] { g({astype(in[0], int32), in[1]}); }), "");
  EXPECT_NE(thrown<InvalidArgument>([&] { g({in[0]}); }), "");
}

TEST_F(Export, EveryShapeAtOnce) {
  const ArgsFunction f = [](const Args& in) -> Args { return {softmax(in[0] * in[1], std::vector<int>{-1})}; };
  export_function(path("s.frit"), f, {ramp({2, 8}), ramp({2, 8})}, true);
  const ImportedFunction g = import_function(path("s.frit"));
  for (const Shape& shape : {Shape{2, 8}, Shape{5, 3}, Shape{1, 1}, Shape{0, 4}}) {
    const Args in{ramp(shape), ramp(shape) - array(1.0f)};
    EXPECT_EQ(values<float>(g(in)[0]), values<float>(f(in)[0]));
  }
  // The trace assumed equal shapes: that is a fact of the file.
  EXPECT_NE(thrown<InvalidArgument>([&] { g({ramp({2, 8}), ramp({1, 8})}); }), "");
}

TEST_F(Export, DeclaredSizesAndNames) {
  ExportOptions options;
  options.name = "gate";
  options.inputs = {"hidden", "gate"};
  options.outputs = {"out"};
  options.dims = {{"b", 1, 64}, {"n", Dim::multiple_of(16)}};
  const ArgsFunction f = [](const Args& in) -> Args { return {in[0] * sigmoid(in[1])}; };
  export_function(path("gate.json"), f, {ShapeDtype{{"b", "n"}, float32}, ShapeDtype{{"b", "n"}, float32}}, options);
  EXPECT_TRUE(text(path("gate.json")).starts_with("{"));
  const ImportedFunction g = import_function(path("gate.json"));
  EXPECT_EQ(
      g.signatures(),
      std::vector<std::string>{
          "func @gate(%hidden: f32[b, n], %gate: f32[b, n]) -> %out: f32[b, n] where b in [1, 64], n in [0, 2147483647], "
          "n % 16 == 0"});
  EXPECT_EQ(g.input_names(), (std::vector<std::string>{"hidden", "gate"}));
  EXPECT_EQ(g.output_names(), std::vector<std::string>{"out"});
  const Args in{ramp({3, 32}), ramp({3, 32})};
  const std::vector<float> want = values<float>(f(in)[0]);
  EXPECT_EQ(values<float>(g(in)[0]), want);
  EXPECT_EQ(values<float>(g(Kwargs{{"gate", in[1]}, {"hidden", in[0]}})[0]), want);
  EXPECT_EQ(values<float>(g({in[0]}, {{"gate", in[1]}})[0]), want);
  EXPECT_NE(thrown<InvalidArgument>([&] { g({in[0]}, {{"other", in[1]}}); }), "");
  EXPECT_NE(thrown<InvalidArgument>([&] { g({ramp({3, 8}), ramp({3, 8})}); }), "");
  EXPECT_NE(thrown<InvalidArgument>([&] { g({ramp({65, 16}), ramp({65, 16})}); }), "");
}

TEST_F(Export, WeightsGoBesideOrInside) {
  const array w = ramp({8, 16}), bias = ramp({16});
  w.eval();
  bias.eval();
  const ArgsFunction f = [&](const Args& in) { return mlp(w, bias, in); };
  ExportOptions options;
  options.weights = {{"layer0.weight", w}, {"layer0.bias", bias}};
  const Args in{ramp({4, 8})};
  for (const std::string form : {"mlp.frit", "mlp.json", "mlp.fritpkg"}) {
    export_function(path(form), f, in, options);
    const ImportedFunction g = import_function(path(form));
    const Args want = f(in), got = g(in);
    for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(values<float>(got[i]), values<float>(want[i])) << form;
    EXPECT_EQ(g.input_names(), std::vector<std::string>{"x"}) << form;
  }
  EXPECT_EQ(files(), (std::vector<std::string>{"mlp.frit", "mlp.fritpkg", "mlp.json", "mlp.safetensors"}));
  EXPECT_TRUE(contains(text(path("mlp.frit")), "weights \"mlp.safetensors\"\n"));
  EXPECT_TRUE(contains(text(path("mlp.frit")), ": f32[8, 16] = \"layer0.weight\""));
  // Sixteen elements are written into the graph.
  EXPECT_FALSE(contains(text(path("mlp.frit")), "layer0.bias"));
  EXPECT_TRUE(contains(text(path("mlp.safetensors")), "\"layer0.weight\":{\"dtype\":\"F32\",\"shape\":[8,16]"));

  fs::remove(path("mlp.safetensors"));
  EXPECT_TRUE(contains(thrown<RuntimeError>([&] { import_function(path("mlp.frit")); }), "mlp.safetensors"));
  export_function(path("other.frit"), [&](const Args& in) -> Args { return {in[0] + w}; }, {ramp({8, 16})});
  fs::rename(path("other.safetensors"), path("mlp.safetensors"));
  EXPECT_TRUE(contains(thrown<RuntimeError>([&] { import_function(path("mlp.frit")); }), "has none of that name"));
}

TEST_F(Export, SeveralFunctionsAndTraces) {
  const ArgsFunction twice = [](const Args& in) -> Args { return {in[0] + in[0]}; };
  ModuleExporter module(path("m.frit"));
  ExportOptions options;
  options.name = "twice";
  module.add(twice, {ramp({2})}, options);
  module.add(twice, {ramp({3})}, options);
  module.add(twice, {astype(ramp({3}), int32)}, options);
  EXPECT_TRUE(contains(thrown<RuntimeError>([&] { module.add(twice, {ramp({3})}, options); }),
                       "has a trace already that takes (f32[3])"));
  options.name = "negative";
  module.add([](const Args& in) -> Args { return {negative(in[0])}; }, {ramp({2})}, options);
  EXPECT_TRUE(files().empty());
  module.close();
  EXPECT_NE(thrown<RuntimeError>([&] { module.add(twice, {ramp({9})}, options); }), "");

  const ImportedModule m = import_module(path("m.frit"));
  EXPECT_EQ(m.functions(), (std::vector<std::string>{"twice", "negative"}));
  const ImportedFunction f = m.function("twice");
  EXPECT_EQ(f.signatures().size(), 3u);
  EXPECT_EQ(values<float>(f({ramp({3})})[0]), values<float>(twice({ramp({3})})[0]));
  EXPECT_EQ(f({astype(ramp({3}), int32)})[0].dtype(), int32);
  EXPECT_NE(thrown<InvalidArgument>([&] { f({ramp({4})}); }), "");
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { m.function("thrice"); }), "it has: twice, negative"));
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { import_function(path("m.frit")); }), "holds 2 functions"));
}

TEST_F(Export, ARoundTripIsTheIdentity) {
  const array w = ramp({10, 10});
  w.eval();
  ModuleExporter module(path("a.frit"));
  ExportOptions options;
  options.shapeless = true;
  for (const char* name : {"f", "g"}) {
    options.name = name;
    module.add([&](const Args& in) -> Args { return {matmul(in[0], w), softmax(in[0], std::vector<int>{0})}; },
               {ramp({4, 10})}, options);
  }
  module.close();
  // Both functions captured one array: it is one weight.
  EXPECT_EQ(fs::file_size(path("a.safetensors")) / 400, 1u);
  fs::create_directory(path("next"));
  import_module(path("a.frit")).save(path("next/a.frit"));
  EXPECT_EQ(text(path("next/a.frit")), text(path("a.frit")));
  EXPECT_EQ(text(path("next/a.safetensors")), text(path("a.safetensors")));
  import_module(path("a.frit")).save(path("a.fritpkg"));
  import_module(path("a.fritpkg")).save(path("b.fritpkg"));
  EXPECT_EQ(text(path("a.fritpkg")), text(path("b.fritpkg")));
  import_module(path("a.frit")).save(path("a.json"));
  fs::create_directory(path("third"));
  import_module(path("a.json")).save(path("third/a.frit"));
  EXPECT_EQ(text(path("third/a.frit")), text(path("a.frit")));
}

TEST_F(Export, WhatIsImportedIsTracedCompiledAndExportedAgain) {
  const array w = ramp({8, 16});
  w.eval();
  export_function(path("f.frit"), [&](const Args& in) -> Args { return {matmul(in[0], w)}; }, {ramp({4, 8})}, true);
  const ImportedFunction f = import_function(path("f.frit"));
  const ArgsFunction around = [&](const Args& in) -> Args { return {exp(f({in[0] * array(0.125f)})[0])}; };
  auto compiled = compile(around, true);
  for (int rows : {4, 9}) {
    const Args in{ramp({rows, 8})};
    EXPECT_EQ(values<float>(compiled(in)[0]), values<float>(around(in)[0]));
  }
  EXPECT_EQ(compiled.trace_count(), 1u);
  export_function(path("g.frit"), around, {ramp({4, 8})}, true);
  const ImportedFunction g = import_function(path("g.frit"));
  EXPECT_EQ(values<float>(g({ramp({7, 8})})[0]), values<float>(around({ramp({7, 8})})[0]));
  // The caller must satisfy the facts of an imported function.
  auto wrong = compile([&](const Args& in) -> Args { return f({in[0]}); }, true);
  EXPECT_NE(thrown<InvalidArgument>([&] { wrong({ramp({4, 9})}); }), "");
}

TEST_F(Export, KeywordArgumentsAndTheExporter) {
  const KwargsFunction f = [](const Kwargs& in) -> Args { return {in.at("a") - in.at("b")}; };
  export_function(path("k.frit"), f, Kwargs{{"b", ramp({3})}, {"a", ramp({3})}});
  const ImportedFunction g = import_function(path("k.frit"));
  EXPECT_EQ(g.input_names(), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(values<float>(g(Kwargs{{"a", ramp({3})}, {"b", zeros({3})}})[0]), values<float>(ramp({3})));

  {
    FunctionExporter e = exporter(path("e.frit"), ArgsKwargsFunction([](const Args& in, const Kwargs& more) -> Args {
                                    return {more.count("scale") ? in[0] * more.at("scale") : in[0]};
                                  }));
    e({ramp({2})});
    e(Args{ramp({2})}, Kwargs{{"scale", array(2.0f)}});
  }
  const ImportedFunction h = import_function(path("e.frit"));
  EXPECT_EQ(h.signatures().size(), 2u);
  EXPECT_EQ(values<float>(h({ramp({2})})[0]), values<float>(ramp({2})));
  EXPECT_EQ(values<float>(h({ramp({2})}, {{"scale", array(3.0f)}})[0]), values<float>(ramp({2}) * array(3.0f)));
}

TEST_F(Export, AFolderThatTakesNoFileIsAnErrorBeforeTheTrace) {
  const std::string file = path("no/such/f.frit");
  EXPECT_NE(thrown<RuntimeError>([&] { exporter(file, [](const Args& in) -> Args { return in; }); }), "");
  bool called = false;
  const ArgsKwargsFunction f = [&](const Args& in, const Kwargs&) -> Args {
    called = true;
    return in;
  };
  EXPECT_NE(thrown<RuntimeError>([&] { export_function(file, f, Args{array(1.0f)}, Kwargs{}); }), "");
  EXPECT_FALSE(called);
}

TEST_F(Export, WhatCannotBeExportedIsSaid) {
  // A value read while tracing, a function traced for its concrete sizes, files that cannot be written.
  EXPECT_NE(thrown<Error>([&] {
              export_function(path("f.frit"),
                              [](const Args& in) -> Args { return {in[0] + array(in[0].item<float>())}; },
                              {array(1.0f)});
            }),
            "");
  EXPECT_NE(thrown<RuntimeError>([&] {
              export_function(path("no/such/f.frit"), [](const Args& in) -> Args { return {in[0]}; }, {array(1.0f)});
            }),
            "");
  EXPECT_NE(thrown<InvalidArgument>([&] { ModuleExporter(path("empty.frit")).close(); }), "");
  ExportOptions options;
  options.name = "f:1";
  EXPECT_NE(thrown<InvalidArgument>([&] {
              export_function(path("f.frit"), [](const Args& in) -> Args { return {in[0]}; }, {array(1.0f)}, options);
            }),
            "");
  options.name = "f";
  options.outputs = {"a", "b"};
  EXPECT_NE(thrown<InvalidArgument>([&] {
              export_function(path("f.frit"), [](const Args& in) -> Args { return {in[0]}; }, {array(1.0f)}, options);
            }),
            "");
  EXPECT_TRUE(files().empty());
}

TEST_F(Export, FilesHaveNamesOfTheirOwn) {
  const array w = ramp({10, 10});
  const ArgsFunction f = [&](const Args& in) -> Args { return {in[0] + w}; };
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { export_function(path("w.safetensors"), f, {ramp({10, 10})}); }),
                       "where the weights"));
  EXPECT_TRUE(
      contains(thrown<RuntimeError>([&] { export_function("", f, {ramp({10, 10})}); }), "the file has no name"));
  EXPECT_TRUE(files().empty());
}

TEST_F(Export, DamagedFilesAreErrorsWithTheirPlace) {
  std::ofstream(path("bad.frit")) << "func @f(%x: f32[2]) -> f32[2] {\n  %0: f32[2] = expp %x\n  return %0\n}\n";
  EXPECT_TRUE(contains(thrown<RuntimeError>([&] { import_function(path("bad.frit")); }), "bad.frit"));
  EXPECT_NE(thrown<RuntimeError>([&] { import_function(path("absent.frit")); }), "");
  std::ofstream(path("outside.frit"))
      << "weights \"../w.safetensors\"\nfunc @f(%w: f32[2] = \"w\") -> f32[2] {\n  return %w\n}\n";
  EXPECT_TRUE(
      contains(thrown<RuntimeError>([&] { import_function(path("outside.frit")); }), "which is not in its folder"));
  std::ofstream(path("other.json")) << "{\"format\": \"frit\", \"version\": 99, \"functions\": []}";
  EXPECT_TRUE(contains(thrown<RuntimeError>([&] { import_module(path("other.json")); }), "version"));
}

TEST_F(Export, CompiledFunctionsAreSavedWithTheirCode) {
  const array w = ramp({8, 16});
  w.eval();
  auto f = compile([&](const Args& in) -> Args { return {softmax(matmul(in[0], w), std::vector<int>{-1})}; },
                   CompileOptions{.name = "head", .shapeless = true});
  EXPECT_TRUE(contains(thrown<InvalidArgument>([&] { f.save(path("head.fritpkg")); }), "nothing is traced yet"));
  const std::vector<float> want = values<float>(f({ramp({3, 8})})[0]);
  f.save(path("head.fritpkg"));
  f.save(path("again.fritpkg"));
  EXPECT_EQ(text(path("head.fritpkg")), text(path("again.fritpkg")));
  const ImportedFunction g = import_function(path("head.fritpkg"));
  EXPECT_EQ(g.name(), "head");
  EXPECT_EQ(values<float>(g({ramp({3, 8})})[0]), want);
}

}  // namespace
