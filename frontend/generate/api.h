// The public API as data: the descriptions in frontend/api, read and checked.
//
// A file describes one group of functions:
//
//   group 3 Shape                                    its place in the reference and its title
//     The same elements under other shapes.          a paragraph about the group
//   stream none                                      its functions do not take a stream as their last argument
//   stream line                                      nor do these; in C++ it is the caller's line
//
//   reshape(a: array, shape: shape) -> array         one line for each form of the function
//     The elements under another shape.              a paragraph, then fields: Shape, Types, Throws, Algorithm, Row
//     Shape: `shape`.
//     Stream: none                                   this function takes no stream
//     Cpp: verbatim                                  C++ has the verbatim lines alone and not the forms
//     | template <class T> ...                       verbatim lines, for C++ alone
//
// `random::key` in the place of a name is a function of the namespace frit::random.
//
// The types of parameters and results are a closed set (kTypes), so that every language maps each of them once. `own`
// in front of a type says that the function may keep the value: C++ then takes it by value.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace frit::generate {

struct Parameter {
  std::string name;
  std::string type;  // one of kTypes
  bool own = false;
  std::string fallback;  // "" where the argument is required; "none" for an absent optional
};

struct Form {
  std::vector<Parameter> parameters;
  std::string result;  // one of kTypes, or "void"
};

struct Field {
  std::string name, text;
};

struct Function {
  std::string name;
  std::string space;  // the namespace inside of frit, "" for frit itself
  std::vector<Form> forms;
  std::string text;
  std::vector<Field> fields;
  std::vector<std::string> cpp;  // verbatim lines
  std::string row;               // the elementwise row that it stands for, where the name differs
  bool verbatim = false;         // C++ has the verbatim lines alone
  bool stream = true;            // its last parameter is a stream; never where the group says `stream none`
  bool line = false;             // its last parameter in C++ is the caller's line
  std::string full_name() const { return space.empty() ? name : space + "::" + name; }
};

struct Group {
  std::string name;  // of the file, without its ending
  int place = 0;
  std::string title, text;
  bool stream = true, line = false;
  std::vector<Function> functions;
};

// A type of the closed set, and what C++ calls it as a parameter, as an owned parameter, and as a result.
struct TypeName {
  std::string_view name, cpp, cpp_own, cpp_result;
};
const TypeName& type_of(std::string_view name);  // ends the program with a message for an unknown name

// Every group of a folder, in the order of their places; then that of the elementwise rows. Ends the program with the
// file and line of a mistake.
std::vector<Group> read_api(const std::string& folder);

// The group of the functions that follow from elementwise rows: rows that take operands alone and that no other group
// describes.
Group elementwise_group(const std::vector<Group>& others);

// A paragraph in lines of at most 120 columns, each behind `prefix`.
std::string wrapped(std::string_view text, std::string_view prefix);

// The C++ declarations of a group, with their comments.
std::string cpp_declarations(const Group& group);
// A header with the parts between its marks written anew. Ends the program where a mark names no group.
std::string rewritten_header(const std::string& header, const std::vector<Group>& groups);
// frontend/ops/elementwise.cpp.
std::string elementwise_source(const std::vector<Group>& groups);
// docs/api.md.
std::string reference(const std::vector<Group>& groups);

}  // namespace frit::generate
