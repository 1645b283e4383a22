// The `frit` command: inspects, compiles and runs graph files. Exit status 1 for bad input, 2 for wrong usage.
#include <csignal>
#include <exception>
#include <iostream>

#include "frontend/cli/command.h"

namespace {

// CLI11 asks for a subcommand where the first word is not one; the message names that word.
void complain(const CLI::App& app, const CLI::ParseError& e, int argc, char** argv) {
  std::string word = argc > 1 && argv[1][0] != '-' ? argv[1] : "";
  auto commands = app.get_subcommands([&](const CLI::App* c) { return c->get_name() == word; });
  if (!word.empty() && commands.empty()) {
    std::cerr << "error: no subcommand '" << word << "'\nnote: 'frit --help' lists them\n";
    return;
  }
  std::cerr << "error: " << e.what() << "\nnote: 'frit " << (commands.empty() ? "" : word + " ")
            << "--help' says more\n";
}

}  // namespace

int main(int argc, char** argv) {
  // Past a file size limit, writing fails instead of ending the process, so that a file that was begun can be removed.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app{"frit: a graph compiler for array programs", "frit"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "frit " FRIT_VERSION);
  frit::cli::add_opt(app);
  frit::cli::add_compile(app);
  frit::cli::add_run(app);
  frit::cli::add_inspect(app);
  frit::cli::add_verify(app);
  frit::cli::add_explain(app);
  frit::cli::add_report(app);
  frit::cli::add_profile(app);
  frit::cli::add_reduce(app);
  frit::cli::add_bisect(app);
  frit::cli::add_diff(app);
  frit::cli::add_ops(app);
  frit::cli::add_devices(app);
  frit::cli::add_cache(app);
  frit::cli::add_completion(app);
  try {
    app.parse(argc, argv);
    std::cout.flush();
    if (!std::cout) frit::cli::fail({"cannot write to standard output"});
    return 0;
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForAllHelp& e) {
    return app.exit(e);
  } catch (const CLI::CallForVersion& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    complain(app, e, argc, argv);
    return 2;
  } catch (const frit::cli::Failure& e) {
    std::cerr << e.text << "\n";
    return 1;
  } catch (const std::exception& e) {
    std::cerr << "error: " << e.what() << "\n";
    return 1;
  }
}
