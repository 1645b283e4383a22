// emit_c FILE.frit OUT [static]: lowers every function of a file and writes OUT.c and OUT.h, as tests need it.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "codegen/backend.h"
#include "ir/parser.h"

int main(int argc, char** argv) {
  using namespace frit;
  if (argc < 3) return std::fprintf(stderr, "usage: emit_c FILE.frit OUT [static]\n"), 2;
  std::ifstream in(argv[1]);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  auto module = ir::parse(text, argv[1]);
  if (!module) return std::fprintf(stderr, "%s\n", module.error().render(text).c_str()), 1;
  auto backend = codegen::find_backend("c");
  if (!backend) return std::fprintf(stderr, "%s\n", backend.error().str().c_str()), 1;
  const std::filesystem::path out = argv[2];
  codegen::NativeOptions options;
  options.name = out.filename().string();
  options.static_workspace = argc > 3;
  const codegen::Target target{"c", "native"};
  std::vector<const ir::Function*> functions;
  for (auto& f : (*module)->functions) {
    passes::PassContext context;
    context.target = *(*backend)->native_traits(target, options);
    if (Status s = passes::run(passes::Pipeline::standard(), *f, context); !s.ok()) return std::fprintf(stderr, "%s\n", s.error().str().c_str()), 1;
    functions.push_back(f.get());
  }
  auto files = (*backend)->emit_native(functions, target, "c", options);
  if (!files) return std::fprintf(stderr, "%s\n", files.error().str().c_str()), 1;
  for (const codegen::NativeFile& file : *files) {
    std::ofstream written(out.string() + file.suffix, std::ios::binary);
    written << file.bytes;
  }
  return 0;
}
