// Results, diagnostics and source locations.
#include <gtest/gtest.h>

#include <memory>

#include "ir/base/result.h"

namespace frit {
namespace {

Result<int> half_of(int v) {
  if (v % 2) return Diagnostic("odd");
  return v / 2;
}

Result<int> quarter_of(int v) {
  FRIT_ASSIGN_OR_RETURN(h, half_of(v));
  FRIT_ASSIGN_OR_RETURN(q, half_of(h));
  return q;
}

Status is_even(int v) {
  FRIT_TRY(half_of(v));
  return {};
}

TEST(Result, CarriesValuesAndErrors) {
  EXPECT_EQ(*quarter_of(8), 2);
  EXPECT_EQ(quarter_of(6).error().message, "odd");
  EXPECT_TRUE(is_even(2).ok());
  EXPECT_EQ(is_even(3).error().message, "odd");
}

TEST(Result, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> r(std::make_unique<int>(7));
  std::unique_ptr<int> p = *std::move(r);
  EXPECT_EQ(*p, 7);
}

TEST(Diagnostic, ShowsPlaceAndNote) {
  Diagnostic d("no such thing", {"a.frit", 3, 5}, "try another");
  EXPECT_EQ(d.str(), "a.frit:3:5: no such thing\nnote: try another");
  EXPECT_EQ(Diagnostic("lost").str(), "lost");
  EXPECT_EQ(Diagnostic("x", {"a", 0, 0}).str(), "a: x");
  EXPECT_EQ(Diagnostic("x", {"a", 2, 0}).str(), "a:2: x");
}

TEST(Diagnostic, RendersTheLineWithACaret) {
  Diagnostic d("bad", {"f", 2, 3});
  EXPECT_EQ(d.render("one\n\tab\nthree"), "f:2:3: error: bad\n  \tab\n  \t ^");
  // A long line is shown around the column.
  const std::string wide = std::string(300, 'a') + "b" + std::string(300, 'c');
  const Diagnostic far("bad", {"f", 1, 301}, {});
  EXPECT_EQ(far.render(wide), "f:1:301: error: bad\n  " + std::string(79, 'a') + "b" + std::string(80, 'c') +
                                  " ...\n  " + std::string(79, ' ') + "^");
  EXPECT_EQ(d.render("one"), "f:2:3: error: bad") << "a line that is not there";
  EXPECT_EQ(Diagnostic("bad").render("text"), "error: bad");
}

TEST(SourceLoc, FileNamesAreKeptOnce) {
  std::string name = "some/file.cpp";
  const char* kept = intern_file_name(name);
  name.clear();
  EXPECT_STREQ(kept, "some/file.cpp");
  EXPECT_EQ(kept, intern_file_name("some/file.cpp"));
}

}  // namespace
}  // namespace frit
