// Writes from the public API as data: `generate_api FOLDER header FILE | source | reference`, on standard output.
// FOLDER is frontend/api.
//
// The outputs are kept in the tree and a test compares them with what this program writes now. To bring them up to date
// after a change of a description or a row: cmake --build <build folder> --target frit_api.
#include <fstream>
#include <iostream>
#include <iterator>

#include "frontend/generate/api.h"

int main(int argc, char** argv) {
  const std::string_view what = argc > 2 ? argv[2] : "";
  if (!((argc == 4 && what == "header") || (argc == 3 && (what == "source" || what == "reference")))) {
    std::cerr << "usage: generate_api FOLDER header FILE | source | reference\n";
    return 2;
  }
  const auto groups = frit::generate::read_api(argv[1]);
  if (what == "source") {
    std::cout << frit::generate::elementwise_source(groups);
  } else if (what == "reference") {
    std::cout << frit::generate::reference(groups);
  } else {
    std::ifstream file(argv[3]);
    const std::string header((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (header.empty()) {
      std::cerr << argv[3] << " cannot be read\n";
      return 1;
    }
    std::cout << frit::generate::rewritten_header(header, groups);
  }
}
