// Pipelines as text: names, order of levels, errors.
#include <gtest/gtest.h>

#include "passes/manager/pass.h"

namespace frit::passes {
namespace {

TEST(Pipeline, NoneIsEmpty) {
  auto pipeline = Pipeline::parse("none");
  ASSERT_TRUE(pipeline.ok());
  EXPECT_TRUE(pipeline->passes.empty());
}

TEST(Pipeline, NamesInTheOrderWritten) {
  auto pipeline = Pipeline::parse(" dce, cse ,dce ");
  ASSERT_TRUE(pipeline.ok()) << pipeline.error().str();
  ASSERT_EQ(pipeline->passes.size(), 3u);
  EXPECT_EQ(pipeline->passes[0]->name, "dce");
  EXPECT_EQ(pipeline->passes[1]->name, "cse");
  EXPECT_EQ(pipeline->passes[2]->name, "dce");
}

TEST(Pipeline, DefaultIsTheStandardOne) {
  auto pipeline = Pipeline::parse("default");
  ASSERT_TRUE(pipeline.ok()) << pipeline.error().str();
  std::string names;
  for (const PassInfo* p : pipeline->passes) names += std::string(p->name) + " ";
  EXPECT_EQ(
      names,
      "expand_composites expand_libraries convolution_phases canonicalize constant_fold cse dce hoist sink attention "
      "blocked_rows fuse "
      "lower_to_kernels expand_routines "
      "merge_kernels schedule stream_rows stream_columns join_kernels expand_functions plan_buffers sum_sizes "
      "share_sizes ");
  EXPECT_EQ(pipeline->passes.size(), Pipeline::standard().passes.size());
}

TEST(Pipeline, UnknownNameListsThePasses) {
  auto pipeline = Pipeline::parse("cse,fuze");
  ASSERT_FALSE(pipeline.ok());
  EXPECT_EQ(pipeline.error().message, "unknown pass 'fuze' in pipeline 'cse,fuze'");
  EXPECT_NE(pipeline.error().note.find(
                "expand_composites, expand_libraries, convolution_phases, canonicalize, constant_fold, cse, dce"),
            std::string::npos)
      << pipeline.error().note;
}

TEST(Pipeline, EmptyNamesAreErrors) {
  for (const char* text : {"", ",", "cse,", "cse,,dce", "  "}) {
    auto pipeline = Pipeline::parse(text);
    ASSERT_FALSE(pipeline.ok()) << text;
    EXPECT_EQ(pipeline.error().note, "write 'default', 'none', or pass names with commas");
  }
  EXPECT_FALSE(Pipeline::parse("cse,default").ok());
}

TEST(Pipeline, APassBeforeWhatItNeeds) {
  auto pipeline = Pipeline::parse("cse,fuse");
  ASSERT_FALSE(pipeline.ok());
  EXPECT_EQ(pipeline.error().message, "pass 'fuse' needs level expanded, and the function is at level graph");
  EXPECT_EQ(pipeline.error().note, "put 'expand_composites' before it");
}

TEST(Pipeline, APassAfterWhatItCannotSee) {
  auto pipeline = Pipeline::parse("expand_composites,fuse,cse");
  ASSERT_FALSE(pipeline.ok());
  EXPECT_EQ(pipeline.error().message, "pass 'cse' works up to level expanded, and the function is at level fused");
  EXPECT_EQ(pipeline.error().note, "put it before 'fuse'");
}

TEST(Registry, PassesAreFoundAndInOrder) {
  EXPECT_EQ(find_pass("nothing"), nullptr);
  ASSERT_NE(find_pass("cse"), nullptr);
  auto all = all_passes();
  ASSERT_GE(all.size(), 5u);
  EXPECT_EQ(all[0]->name, "expand_composites");
  EXPECT_EQ(all[1]->name, "expand_libraries");
  EXPECT_EQ(all[2]->name, "convolution_phases");
  EXPECT_EQ(all[3]->name, "canonicalize");
  for (const PassInfo* p : all) {
    EXPECT_EQ(find_pass(p->name), p);
    EXPECT_FALSE(p->doc.empty()) << p->name;
    EXPECT_LE(p->needs, p->most) << p->name;
  }
}

}  // namespace
}  // namespace frit::passes
