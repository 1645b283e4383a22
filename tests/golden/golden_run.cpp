// Runs the cases of a golden file and checks the laws.
#include "golden_run.h"

#include <fstream>
#include <sstream>

#include "golden_file.h"
#include "ir/read/kernel_parser.h"
#include "ir/read/parser.h"
#include "ir/text/kernel_printer.h"
#include "ir/text/printer.h"
#include "ir/verify/kernel_verifier.h"
#include "ir/verify/verifier.h"
#include "passes/manager/pass.h"
#include "passes/transform/spec.h"

namespace frit::golden {
namespace {

// The options in the first line of a file.
struct Command {
  bool parse_only = false;
  bool single = false;  // one pass, so law 2 applies
  bool remarks = false;
  bool dense = false;  // TargetTraits::dense_results
  bool own = false;    // TargetTraits::own_routines
  bool grid = false;   // TargetTraits::grid
  bool wide = false;   // TargetTraits::vector_bytes is 64
  int threads = 0;     // TargetTraits::threads
  passes::Pipeline pipeline;
  std::string transform;
};

Result<Command> parse_command(const std::string& text) {
  Command command;
  std::istringstream words(text);
  std::string what, option;
  words >> what;
  while (words >> option) {
    if (option == "remarks")
      command.remarks = true;
    else if (option == "dense_results")
      command.dense = true;
    else if (option == "own_routines")
      command.own = true;
    else if (option == "wide_vectors")
      command.wide = true;
    else if (option == "one_thread")
      command.threads = 1;
    else if (option == "two_threads")
      command.threads = 2;
    else if (option == "grid")
      command.grid = true;
    else
      return Diagnostic("unknown option '" + option + "' in the first line");
  }
  if (what == "parse") {
    command.parse_only = true;
  } else if (what.starts_with("pass=")) {
    // Not through Pipeline::parse: the input may stand at any level.
    const passes::PassInfo* pass = passes::find_pass(what.substr(5));
    if (!pass) return Diagnostic("unknown pass '" + what.substr(5) + "'");
    command.pipeline.passes = {pass};
    command.single = true;
  } else if (what.starts_with("pipeline=")) {
    FRIT_ASSIGN_OR_RETURN(pipeline, passes::Pipeline::parse(what.substr(9)));
    command.pipeline = pipeline;
  } else if (what.starts_with("transform=")) {
    command.transform = what.substr(10);
  } else {
    return Diagnostic(
        "the first line must be '// test: parse', '// test: pass=NAME', '// test: pipeline=A,B' or '// test: "
        "transform=SPEC'");
  }
  return command;
}

std::string text_of(const ir::Function& f) { return f.program ? ir::print(*f.program, f.name) : ir::print(f); }

// A case holds one function, as a graph or as the program that it was lowered to.
Result<std::unique_ptr<ir::Function>> read(const std::string& text, const char* file) {
  std::string_view rest = text;
  while (!rest.empty()) {
    size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    if (line.starts_with("program")) {
      FRIT_ASSIGN_OR_RETURN(parsed, ir::parse_program(text, intern_file_name(file)));
      auto f = std::make_unique<ir::Function>();
      f->name = parsed.name;
      f->program = std::make_shared<ir::Program>(std::move(parsed.program));
      return f;
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  FRIT_ASSIGN_OR_RETURN(module, ir::parse(text, file));
  if (module->functions.size() != 1) return Diagnostic("a case must hold one function");
  return std::move(module->functions[0]);
}

Status verify_any(const ir::Function& f) { return f.program ? ir::verify(*f.program) : ir::verify(f); }

class Runner {
 public:
  Runner(std::string file, Command command, bool bless)
      : file_(std::move(file)), command_(std::move(command)), bless_(bless) {}

  void run(Case& c) {
    InlineError found;
    Expectation got;
    observe(c, found, got);
    if (c.expects && c.expected.unchanged && !got.unchanged) c.expected.unchanged = false;
    if (got.unchanged) got.text.clear();
    if (bless_) {
      c.inline_error = found;
      c.expects = found.line == 0;
      c.expected = got;
      return;
    }
    if (!(found == c.inline_error)) {
      fail(c, "expected " + describe(c.inline_error) + ", got " + describe(found));
      return;
    }
    if (found.line != 0) return;
    if (!c.expects) return fail(c, "no expectation; set FRIT_BLESS=1 to write it");
    if (!(got == c.expected)) fail(c, "expected\n" + show(c.expected) + "got\n" + show(got));
  }

  std::vector<std::string> failures;

 private:
  void fail(const Case& c, const std::string& what) {
    failures.push_back(file_ + ", case at line " + std::to_string(c.first_line) + ": " + what);
  }
  static std::string describe(const InlineError& e) {
    return e.line == 0 ? "no error" : "an error on line " + std::to_string(e.line) + " '" + e.text + "'";
  }
  static std::string show(const Expectation& e) {
    std::string s = e.unchanged ? "(unchanged)\n" : e.text;
    for (const std::string& r : e.remarks) s += "remark: " + r + "\n";
    if (!e.error.empty()) s += "error: " + e.error + "\n";
    return s;
  }

  // An error with a place in this file belongs to its line, any other to the expect block.
  void place(const Diagnostic& error, InlineError& found, Expectation& got) {
    if (error.loc.known() && error.loc.file == file_ && error.loc.line > 0)
      found = {static_cast<int>(error.loc.line), error.message};
    else
      got.error = error.message;
  }

  void observe(const Case& c, InlineError& found, Expectation& got) {
    auto read_function = read(c.input(), file_.c_str());
    if (!read_function) return place(read_function.error(), found, got);
    ir::Function& f = **read_function;
    if (Status status = verify_any(f); !status) return place(status.error(), found, got);
    const std::string before = text_of(f);
    check_round_trip(c, f, before);

    if (!command_.transform.empty()) {
      auto made = passes::transformed(f, command_.transform);
      if (!made) return place(made.error(), found, got);
      f = *std::move(made);
      if (Status status = verify_any(f); !status) return place(status.error(), found, got);
    }
    passes::PassContext context;
    context.collect_remarks = command_.remarks;
    context.target.dense_results = command_.dense;
    context.target.own_routines = command_.own;
    if (command_.wide) context.target.vector_bytes = 64;
    context.target.threads = command_.threads;
    context.target.grid = command_.grid;
    passes::RunOptions options;
    options.verify_each = true;
    if (Status status = passes::run(command_.pipeline, f, context, options); !status)
      return place(status.error(), found, got);
    for (const passes::Remark& r : context.remarks) got.remarks.push_back(r.text);
    got.text = text_of(f);
    got.unchanged = got.text == before;
    if (command_.parse_only) return;
    check_round_trip(c, f, got.text);
    if (command_.single) check_second_run(c, f, got.text);
  }

  void check_round_trip(const Case& c, const ir::Function& f, const std::string& text) {
    auto again = read(text, "printed");
    if (!again) return fail(c, "what was printed does not read back: " + again.error().str() + "\n" + text);
    std::string second = text_of(**again);
    if (second != text) fail(c, "printing is not stable:\n" + text + "then\n" + second);
    if (!f.program && !ir::structurally_equal(f, **again))
      fail(c, "what was printed reads back as another function:\n" + text);
  }

  void check_second_run(const Case& c, ir::Function& f, const std::string& text) {
    const passes::PassInfo& pass = *command_.pipeline.passes[0];
    passes::PassContext context;
    if (pass.gives > pass.most) return;  // its output level is not an input level
    auto changed = passes::run(pass, f, context);
    if (!changed) return fail(c, "a second run failed: " + changed.error().str());
    if (*changed) fail(c, "a second run reports a change");
    if (text_of(f) != text) fail(c, "a second run changed the function:\n" + text + "into\n" + text_of(f));
  }

  std::string file_;
  Command command_;
  bool bless_;
};

}  // namespace

std::vector<std::string> run_golden(const std::filesystem::path& path, bool bless) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  if (!stream) return {"cannot read " + path.string()};
  GoldenFile file = GoldenFile::split(text.str());
  auto command = parse_command(file.command);
  if (!command) return {path.filename().string() + ": " + command.error().str()};
  if (file.cases.empty()) return {path.filename().string() + ": no cases"};
  Runner runner(path.filename().string(), *command, bless);
  for (Case& c : file.cases) runner.run(c);
  if (bless && file.join() != text.str()) std::ofstream(path, std::ios::binary | std::ios::trunc) << file.join();
  return runner.failures;
}

}  // namespace frit::golden
