// c_cases FOLDER [--seed S] [--matmul cblas] [--rows N] [--random N] [--file F.frit]..: writes C sources for many
// functions into FOLDER, with what calls of them must give.
//
// part<i>.c, .h   functions as the backend emits them
// table.c         a table of all, so that one driver (driver.c) calls any
// cases.bin       calls: sizes, inputs, and what the interpreter of the planned program gives; little-endian, driver.c
// reads it
//
// Rows: each row of the operation table on every Nth pair of element type and shape, with every type at least once
// where N is 1.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "codegen/package/c_interface.h"
#include "ir/graph/expression.h"
#include "ir/read/parser.h"
#include "ir/text/printer.h"
#include "passes/lower/routine.h"
#include "support/generate.h"
#include "support/ways.h"

namespace frit::test {
namespace {

using namespace ir;

constexpr size_t kPerFile = 48;

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "%s\n", what.c_str());
  std::exit(1);
}

template <class T>
T need(Result<T> r, const std::string& where) {
  if (!r.ok()) fail(r.error().str() + "\n" + where);
  return *std::move(r);
}

class Writer {
 public:
  explicit Writer(std::filesystem::path folder)
      : folder_(std::move(folder)), backend_(*need(codegen::find_backend("c"), "")) {}
  bool cblas() const { return options_.cblas; }
  void use_cblas() { options_.cblas = true; }

  // Plans the function; `add_call` then adds calls and their expected results.
  const Function& add(Function f) {
    if (planned_.size() == kPerFile) flush();
    passes::PassContext context;
    context.target = need(backend_.native_traits(target_, options_), "");
    const std::string text = print(f);
    passes::RunOptions options;
    options.verify_each = true;
    if (Status s = passes::run(passes::Pipeline::standard(), f, context, options); !s.ok())
      fail(s.error().str() + "\n" + text);
    planned_.push_back(std::make_unique<Function>(std::move(f)));
    ++functions_;
    return *planned_.back();
  }

  // `values` are those of the sizes; `inputs` fit the function's parameters.
  void add_call(const Function& original, std::vector<Tensor> inputs, Random& random) {
    const Function& f = *planned_.back();
    Arguments arguments = need(place(original, inputs, random), print(original));
    std::vector<Tensor> want = need(run_program(f, arguments), print(original));
    const codegen::CInterface c = need(codegen::make_c_interface(f), print(original));
    number(functions_ - 1, 4);
    number(0, 4);  // the code
    number(c.symbols.size(), 4);
    for (const std::string& s : c.symbols) number(static_cast<uint64_t>(arguments.symbols.at(s)), 8);
    number(inputs.size() + want.size(), 4);
    for (const Literal& l : arguments.memory) array(0, l.dtype(), l.data(), l.nbytes());
    for (const Tensor& t : want) array(1, t.dtype, t.data.data(), t.data.size());
    ++calls_;
  }

  void finish() {
    flush();
    std::string table = "#include \"table.h\"\n", rows;
    for (size_t i = 0; i < parts_; ++i) table += "#include \"part" + std::to_string(i) + ".h\"\n";
    table += wrappers_ + "const struct entry entries[] = {\n" + entries_ +
             "};\nconst unsigned entry_count = " + std::to_string(functions_) + ";\n";
    write("table.c", table);
    write(
        "table.h",
        "#include <stddef.h>\n#include <stdint.h>\nstruct entry {\n  const char* name;\n  size_t (*workspace)(const int64_t*);\n"
        "  int (*call)(void* const*, const int64_t*, void*, const char**);\n};\n"
        "extern const struct entry entries[];\nextern const unsigned entry_count;\n");
    std::string head;
    std::swap(head, cases_);
    number(calls_, 4);
    write("cases.bin", cases_ + head);
    std::printf("%zu functions, %zu calls\n", functions_, calls_);
  }

 private:
  void number(uint64_t v, int bytes) {
    for (int i = 0; i < bytes; ++i) cases_ += static_cast<char>(v >> (8 * i));
  }

  void array(int output, Dtype t, const std::byte* data, size_t bytes) {
    const uint64_t element = is_complex(t) ? 4 : t.size();
    const int kind = t == float16 ? 1 : t == bfloat16 ? 2 : t == float32 || is_complex(t) ? 3 : t == float64 ? 4 : 0;
    number(static_cast<uint64_t>(output), 1);
    number(element, 1);
    number(static_cast<uint64_t>(kind), 2);
    number(bytes / element, 8);
    cases_.append(reinterpret_cast<const char*>(data), bytes);
  }

  void flush() {
    if (planned_.empty()) return;
    std::vector<const Function*> functions;
    for (const auto& f : planned_) functions.push_back(f.get());
    codegen::NativeOptions options = options_;
    options.name = "part" + std::to_string(parts_++);
    const auto files = need(backend_.emit_native(functions, target_, "c", options), options.name);
    const auto again = need(backend_.emit_native(functions, target_, "c", options), options.name);
    for (size_t i = 0; i < files.size(); ++i) {
      if (files[i].bytes != again.at(i).bytes) fail("two emissions of " + options.name + files[i].suffix + " differ");
      write(options.name + files[i].suffix, files[i].bytes);
    }
    for (const codegen::CInterface& c : need(codegen::make_c_interfaces(functions), options.name)) {
      std::string args, sizes;
      size_t array = 0;
      for (const codegen::CParam& p : c.params) {
        using Kind = codegen::CParam::Kind;
        const std::string symbol = "s[" + std::to_string(p.index) + "]";
        if (p.kind == Kind::Symbol) sizes += (sizes.empty() ? "" : ", ") + symbol;
        const bool is_array = p.kind == Kind::Input || p.kind == Kind::Output;
        args += args.empty() ? "" : ", ";
        args += is_array                    ? "a[" + std::to_string(array++) + "]"
                : p.kind == Kind::Symbol    ? symbol
                : p.kind == Kind::Workspace ? "w"
                                            : "m";
      }
      wrappers_ += "static size_t workspace_" + c.name + "(const int64_t* s) { (void)s; return " + c.workspace_name() +
                   "(" + sizes + "); }\n";
      wrappers_ += "static int call_" + c.name +
                   "(void* const* a, const int64_t* s, void* w, const char** m) { (void)a; (void)s; return ";
      wrappers_ += c.name + "(" + args + "); }\n";
      entries_ += "  {\"" + c.name + "\", workspace_" + c.name + ", call_" + c.name + "},\n";
    }
    planned_.clear();
  }

  void write(const std::string& name, const std::string& bytes) {
    std::ofstream out(folder_ / name, std::ios::binary);
    out << bytes;
    if (!out.flush()) fail("cannot write " + name);
  }

  std::filesystem::path folder_;
  codegen::Backend& backend_;
  codegen::Target target_{"c", "native"};
  codegen::NativeOptions options_;
  std::vector<std::unique_ptr<Function>> planned_;  // of the open file
  size_t parts_ = 0, functions_ = 0, calls_ = 0;
  std::string wrappers_, entries_, cases_;
};

struct Arrangement {
  Shape shape;
  bool strided;
};

std::vector<Arrangement> arrangements() {
  Dim n = Dim::symbol("n"), m = Dim::symbol("m");
  return {{{n, m}, false}, {{37}, false},          {{n, m}, true},     {{3, 5, 9}, true},
          {{}, false},     {{2, 3, 1, 19}, false}, {{2, 0, 3}, false}, {{m, n, 4}, false}};
}

const std::vector<SymbolValues> kCalls = {
    {{"n", 5}, {"m", 70}}, {{"n", 0}, {"m", 3}}, {{"n", 2}, {"m", 17}}, {{"n", 1}, {"m", 1}}};

std::optional<Function> single(const OpDef& def, const Arrangement& a, Dtype leading, Dtype attribute, Random& random) {
  Function f;
  DimFacts facts;
  for (const char* s : {"n", "m"}) facts.set_range(s, {0, 100});
  auto call = draw_call(def, {leading, a.shape}, attribute, facts, random);
  if (!call) return std::nullopt;
  for (const char* s : {"n", "m"})
    for (const Type& t : call->operands)
      for (const Dim& d : t.shape)
        if (d.uses(s)) f.facts.set_range(s, {0, 100});
  std::vector<ValueId> params;
  for (const Type& t : call->operands) params.push_back(f.add_param("x" + std::to_string(params.size()), t));
  auto built = Builder(f).try_build(def, params, call->attrs);
  if (!built.ok()) fail(built.error().str());
  f.results = *built;
  if (a.strided)
    for (size_t p = 0; p < params.size(); ++p) {
      ParamLayout layout;
      for (int axis = 0; axis < f.type(params[p]).rank(); ++axis)
        layout.push_back(Dim::symbol("s" + std::to_string(p) + "_" + std::to_string(axis)));
      for (const Dim& s : layout) f.facts.set_range(*s.as_symbol(), {0, 1 << 20});
      f.layouts.push_back(std::move(layout));
    }
  return f;
}

void rows(Writer& writer, size_t step, Random& random) {
  const std::vector<Arrangement> shapes = arrangements();
  size_t turn = 0, number = 0;
  for (const OpDef* def : drawn_rows()) {
    if (def->routine && !def->expand && !passes::kernels_of(*def->routine)) continue;  // C source cannot have it
    const bool has_dtype =
        std::any_of(def->attrs.begin(), def->attrs.end(), [](const AttrSpec& s) { return s.kind == AttrKind::Dtype; });
    bool any = false;
    for (Dtype leading : all_dtypes()) {
      if (!admits(def->domain, leading) && def->arity != 0) continue;
      if (def->routine && def->routine->takes && !def->routine->takes(leading)) continue;
      for (Dtype attribute : has_dtype ? all_dtypes() : std::span<const Dtype>(&leading, 1)) {
        if (any && number++ % step) continue;
        std::optional<Function> f;
        for (size_t tries = 0; tries < shapes.size() && !f; ++tries)
          f = single(*def, shapes[turn++ % shapes.size()], leading, attribute, random);
        if (!f) {
          if (def->arity != 0 && !has_dtype)
            fail("nothing was found for " + std::string(def->name) + " of " + std::string(short_name(leading)));
          continue;
        }
        any = true;
        f->name = std::string(def->name) + "_" + std::string(short_name(leading)) + "_" + std::to_string(turn);
        writer.add(*f);
        const bool symbolic = !f->symbols().empty() && f->symbols().front().size() == 1;
        for (const SymbolValues& call :
             symbolic ? std::span<const SymbolValues>(kCalls) : std::span<const SymbolValues>(kCalls).first(1)) {
          std::vector<Type> types;
          for (ValueId p : f->params) types.push_back(at_call(f->type(p), call));
          if (!infer(*def, {types, at_call(f->ops[0].attrs, call), {}}).ok()) continue;
          writer.add_call(
              *f, random_inputs(*f, call, def->kind == OpKind::Library ? Values::Ordinary : Values::Special, random),
              random);
        }
      }
      if (def->arity == 0 && has_dtype) break;
    }
  }
}

void random_functions(Writer& writer, uint64_t seed, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    Random random(seed + i);
    GraphOptions options;
    options.symbolic = i % 2 == 0;
    options.max_ops = static_cast<int>(between(random, 1, 20));
    options.native = true;
    options.control = i % 3 == 0;
    RandomGraph graph = random_graph(random, options);
    graph.function.name = "random_" + std::to_string(i);
    writer.add(graph.function);
    for (const SymbolValues& call : graph.calls)
      writer.add_call(
          graph.function,
          random_inputs(graph.function, call, chance(random, 50) ? Values::Special : Values::Ordinary, random), random);
  }
}

void from_file(Writer& writer, const std::string& path, Random& random) {
  std::ifstream in(path);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  auto module = parse(text, path.c_str());
  if (!module.ok()) fail(module.error().render(text));
  for (const auto& f : (*module)->functions) {
    writer.add(*f);
    for (int64_t most : {1, 7, 40}) {
      SymbolValues call;
      auto holds = [&](const DimCondition& c) {
        const auto v = c.dim.evaluate([&](const std::string& s) -> std::optional<int64_t> { return call.at(s); });
        return v && (c.kind == DimCondition::Kind::Zero ? *v == 0 : *v >= 0);
      };
      do {
        for (const std::string& s : f->symbols()) {
          const DimRange r = f->facts.range(Dim::symbol(s));
          const int64_t factor = std::max<int64_t>(1, f->facts.multiple(s));
          call[s] = std::clamp(between(random, 0, most) * factor, r.low, r.high);
        }
      } while (!std::all_of(f->facts.conditions().begin(), f->facts.conditions().end(), holds));
      // cblas sums in its own order, so its tests use sums that are exact.
      writer.add_call(*f, random_inputs(*f, call, writer.cblas() ? Values::Exact : Values::Ordinary, random), random);
    }
  }
}

int run(int argc, char** argv) {
  if (argc < 2)
    return std::fprintf(
               stderr, "usage: c_cases FOLDER [--seed S] [--matmul cblas] [--rows N] [--random N] [--file F.frit]..\n"),
           2;
  std::filesystem::create_directories(argv[1]);
  Writer writer(argv[1]);
  uint64_t seed = 1;
  for (int i = 2; i + 1 < argc; i += 2) {
    const std::string_view option = argv[i];
    Random random(seed);
    if (option == "--seed")
      seed = std::strtoull(argv[i + 1], nullptr, 10);
    else if (option == "--rows")
      rows(writer, std::strtoull(argv[i + 1], nullptr, 10), random);
    else if (option == "--random")
      random_functions(writer, seed, std::strtoull(argv[i + 1], nullptr, 10));
    else if (option == "--matmul" && argv[i + 1] == std::string_view("cblas"))
      writer.use_cblas();
    else if (option == "--file")
      from_file(writer, argv[i + 1], random);
    else
      return std::fprintf(stderr, "unknown option %s\n", argv[i]), 2;
  }
  writer.finish();
  return 0;
}

}  // namespace
}  // namespace frit::test

int main(int argc, char** argv) { return frit::test::run(argc, argv); }
