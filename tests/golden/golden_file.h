// A golden file: input functions, each followed by its expectation.
//
//   // test: pass=cse              or pipeline=a,b,c, transform=SPEC (passes/transform/spec.h), or parse; then, each
//                                  after a space, `remarks` to compare remarks too, `dense_results` and `own_routines`
//                                  for a target that asks for them, `wide_vectors` for one of 64 bytes, `one_thread`
//                                  and `two_threads` for one that is known to have them, `grid` for one with a grid of
//                                  invocations
//
//   func @name(...) { ... }
//   // expect:
//   // func @name(...) { ... }     the function as it should print afterwards
//   // remark: text                with `remarks`: all of them, in order
//   // error: text                 instead of a function: the run fails, with no place in this file
//
// `// expect: unchanged` stands for the input function as it prints. If the input is at fault, `// error: text` stands
// at the end of the faulty line and nothing is expected. Other comments are free. A case ends with its expect block,
// before a line `// ---`, or before the next line that starts with `func` or `program`.
#pragma once

#include <string>
#include <vector>

namespace frit::golden {

struct Expectation {
  bool unchanged = false;
  std::string text;  // as printed; "" if there is none
  std::vector<std::string> remarks;
  std::string error;  // of the run, without a place
  friend bool operator==(const Expectation&, const Expectation&) = default;
};

struct InlineError {
  int line = 0;  // in the file, from 1; 0: none
  std::string text;
  friend bool operator==(const InlineError&, const InlineError&) = default;
};

struct Case {
  int first_line = 1;              // in the file, from 1
  std::vector<std::string> lines;  // the input, without expectations; comments before it included
  InlineError inline_error;
  Expectation expected;
  bool expects = false;  // whether an expect block was written

  // The input with empty lines before it, so that places in messages are places in the file.
  std::string input() const;
};

struct GoldenFile {
  std::string command;  // of the first line, after "// test: "
  std::vector<Case> cases;
  std::vector<std::string> tail;  // comments after the last case

  static GoldenFile split(const std::string& text);
  // The file's new text, with the expectations of `cases`.
  std::string join() const;
};

}  // namespace frit::golden
