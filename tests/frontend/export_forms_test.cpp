// Further forms of export: without arguments, with metadata, and to a callback.
#include <filesystem>

#include "helpers.h"

using namespace frit;
namespace fs = std::filesystem;

namespace {

class ExportForms : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "frit-forms-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& file) const { return (folder_ / file).string(); }
  fs::path folder_;
};

using Values = std::vector<std::tuple<std::string, Shape, Dtype>>;

}  // namespace

TEST_F(ExportForms, FunctionsWithoutArguments) {
  const auto three = [](const Args&) { return Args{array({1, 2, 3})}; };
  export_function(path("three.frit"), three, {});
  EXPECT_EQ(values<int>(import_function(path("three.frit"))({})[0]), (std::vector<int>{1, 2, 3}));
  export_function(path("named.frit"), three, {}, ExportOptions{.name = "three"});
  EXPECT_EQ(import_function(path("named.frit")).name(), "three");
  export_function(path("one.frit"), [](const Args& in) { return Args{in[0] + in[0]}; }, {array(2)});
  EXPECT_EQ(import_function(path("one.frit"))({array(4)})[0].item<int>(), 8);
}

TEST_F(ExportForms, MetadataIsKept) {
  const auto twice = [](const Args& in) { return Args{in[0] + in[0]}; };
  const std::string text = "{\"model\": \"a\\b\"}\nsecond line";
  for (const char* name : {"m.frit", "m.json", "m.fritpkg"}) {
    export_function(path(name), twice, {array(1.0f)}, false, text);
    EXPECT_EQ(import_function(path(name)).metadata(), text) << name;
    EXPECT_EQ(import_module(path(name)).metadata(), text) << name;
  }
  import_module(path("m.frit")).save(path("again.json"));
  EXPECT_EQ(import_module(path("again.json")).metadata(), text);
  export_function(path("none.frit"), twice, {array(1.0f)});
  EXPECT_EQ(import_function(path("none.frit")).metadata(), "");
  FunctionExporter several = exporter(path("several.frit"), twice, false, "two");
  several({array(1.0f)});
  several({array(1)});
  several.close();
  EXPECT_EQ(import_function(path("several.frit")).metadata(), "two");
}

TEST_F(ExportForms, CallbacksGetTheGraph) {
  const array weight({1.0f, 2.0f, 3.0f});
  std::vector<std::string> types, names;
  Values inputs, outputs;
  std::vector<std::pair<std::string, std::string>> keywords;
  std::vector<std::pair<std::string, array>> constants;
  const ExportCallback callback = [&](const ExportCallbackInput& record) {
    types.push_back(std::get<std::string>(record.at("type")));
    if (types.back() == "inputs") inputs = std::get<Values>(record.at("inputs"));
    if (types.back() == "outputs") outputs = std::get<Values>(record.at("outputs"));
    if (types.back() == "keyword_inputs")
      keywords = std::get<std::vector<std::pair<std::string, std::string>>>(record.at("keywords"));
    if (types.back() == "constants")
      constants = std::get<std::vector<std::pair<std::string, array>>>(record.at("constants"));
    if (types.back() == "primitive") names.push_back(std::get<std::string>(record.at("name")));
  };
  const ArgsKwargsFunction f = [&](const Args& in, const Kwargs& named) {
    return Args{exp(in[0]) * weight + named.at("scale"), sum(in[0], 1)};
  };
  export_function(callback, f, {zeros({2, 3})}, {{"scale", array(2.0f)}});
  EXPECT_EQ((std::vector<std::string>(types.begin(), types.begin() + 4)),
            (std::vector<std::string>{"inputs", "keyword_inputs", "outputs", "constants"}));
  ASSERT_EQ(inputs.size(), 2u);
  EXPECT_EQ(std::get<1>(inputs[0]), (Shape{2, 3}));
  EXPECT_EQ(std::get<0>(inputs[0]), "A");
  ASSERT_EQ(keywords.size(), 1u);
  EXPECT_EQ(keywords[0].first, "scale");
  EXPECT_EQ(keywords[0].second, std::get<0>(inputs[1]));
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(std::get<1>(outputs[1]), (Shape{2}));
  ASSERT_EQ(constants.size(), 1u);
  EXPECT_EQ(values<float>(constants[0].second), (std::vector<float>{1, 2, 3}));
  for (const char* op : {"Exp", "Multiply", "Add", "Sum"})
    EXPECT_EQ(std::count(names.begin(), names.end(), op), 1) << op;
  EXPECT_THROW(export_function(ExportCallback(), f, {zeros({2, 3})}, {{"scale", array(2.0f)}}), InvalidArgument);
}

TEST_F(ExportForms, CallbacksForAnyShapeSeeTheShapesTracedWith) {
  Values inputs;
  std::vector<std::vector<StateT>> arguments;
  export_function(
      [&](const ExportCallbackInput& record) {
        if (std::get<std::string>(record.at("type")) == "inputs") inputs = std::get<Values>(record.at("inputs"));
        if (std::get<std::string>(record.at("type")) == "primitive")
          arguments.push_back(std::get<std::vector<StateT>>(record.at("arguments")));
      },
      [](const Args& in) { return Args{reshape(in[0], {-1, 1})}; }, {zeros({4, 3})}, true);
  EXPECT_EQ(std::get<1>(inputs[0]), (Shape{4, 3}));
  ASSERT_EQ(arguments.size(), 1u);
  EXPECT_EQ(std::get<Strides>(arguments[0][0]), (Strides{12, 1}));
}
