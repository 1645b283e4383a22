// frit completion, frit man: scripts for shells and manual pages, made from the command's own description.
#include <algorithm>
#include <iostream>
#include <sstream>

#include "frontend/cli/command.h"

namespace frit::cli {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::vector<const CLI::Option*> options_of(const CLI::App& c) {
  std::vector<const CLI::Option*> out;
  for (const CLI::Option* o : c.get_options())
    if (!o->get_positional() || !o->get_lnames().empty() || !o->get_snames().empty()) out.push_back(o);
  return out;
}

// "-o" and "--output".
std::vector<std::string> spellings(const CLI::Option& o) {
  std::vector<std::string> out;
  for (const std::string& s : o.get_snames()) out.push_back("-" + s);
  for (const std::string& s : o.get_lnames()) out.push_back("--" + s);
  return out;
}

bool takes_value(const CLI::Option& o) { return o.get_items_expected_max() > 0; }

// For single quotes of a shell.
std::string quoted(const std::string& s) {
  std::string out = "'";
  for (char c : s) out += c == '\'' ? "'\\''" : std::string(1, c);
  return out + "'";
}

// The first sentence, on one line.
std::string brief(std::string s) {
  std::replace(s.begin(), s.end(), '\n', ' ');
  return s.substr(0, s.find(". "));
}

void bash(const CLI::App& app, std::ostream& out) {
  std::string names;
  for (const CLI::App* c : commands_of(app)) names += " " + c->get_name();
  out << "# bash completion of frit; written by 'frit completion bash'.\n_frit() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} options=\n"
         "  if [ \"$COMP_CWORD\" -eq 1 ]; then\n    COMPREPLY=($(compgen -W '"
      << names.substr(1) << " --help --version' -- \"$word\"))\n    return\n  fi\n  case ${COMP_WORDS[1]} in\n";
  for (const CLI::App* c : commands_of(app)) {
    out << "    " << c->get_name() << ") options='";
    for (const CLI::Option* o : options_of(*c))
      for (const std::string& s : spellings(*o)) out << s << " ";
    out << "' ;;\n";
  }
  out << "  esac\n  case $word in\n    -*) COMPREPLY=($(compgen -W \"$options\" -- \"$word\")) ;;\n"
         "    *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n  esac\n}\ncomplete -o filenames -F _frit frit\n";
}

void zsh(const CLI::App& app, std::ostream& out) {
  // Inside of brackets and after a colon these have a meaning of their own.
  const auto plain = [](std::string s) {
    for (char c : {'[', ']', ':', '\\'}) std::replace(s.begin(), s.end(), c, ' ');
    return s;
  };
  out << "#compdef frit\n# zsh completion of frit; written by 'frit completion zsh'.\n_frit() {\n"
         "  if (( CURRENT == 2 )); then\n    local -a names=(\n";
  for (const CLI::App* c : commands_of(app))
    out << "      " << quoted(c->get_name() + ":" + plain(brief(c->get_description()))) << "\n";
  out << "    )\n    _describe 'command' names\n    return\n  fi\n  case $words[2] in\n";
  for (const CLI::App* c : commands_of(app)) {
    out << "    " << c->get_name() << ") _arguments";
    for (const CLI::Option* o : options_of(*c))
      for (const std::string& s : spellings(*o))
        out << " \\\n      "
            << quoted("*" + s + (takes_value(*o) ? "=" : "") + "[" + plain(brief(o->get_description())) + "]" +
                      (takes_value(*o) ? ":value:_files" : ""));
    out << " \\\n      '*:file:_files' ;;\n";
  }
  out << "  esac\n}\n_frit \"$@\"\n";
}

void fish(const CLI::App& app, std::ostream& out) {
  out << "# fish completion of frit; written by 'frit completion fish'.\n";
  for (const CLI::App* c : commands_of(app))
    out << "complete -c frit -n __fish_use_subcommand -a " << c->get_name() << " -d "
        << quoted(brief(c->get_description())) << "\n";
  for (const CLI::App* c : commands_of(app))
    for (const CLI::Option* o : options_of(*c)) {
      out << "complete -c frit -n '__fish_seen_subcommand_from " << c->get_name() << "'";
      for (const std::string& s : o->get_snames()) out << " -s " << s;
      for (const std::string& s : o->get_lnames()) out << " -l " << s;
      out << (takes_value(*o) ? " -r" : "") << " -d " << quoted(brief(o->get_description())) << "\n";
    }
}

// Text of a manual page: no line may begin with a dot or a quote, and a backslash is "\e".
std::string roff(const std::string& s) {
  std::string out;
  for (size_t i = 0; i < s.size(); ++i) {
    if ((i == 0 || s[i - 1] == '\n') && (s[i] == '.' || s[i] == '\'')) out += "\\&";
    out += s[i] == '\\' ? "\\e" : s[i] == '-' ? "\\-" : std::string(1, s[i]);
  }
  return out;
}

void manual(const CLI::App& app, std::ostream& out) {
  out << ".TH FRIT 1 \"\" \"frit " FRIT_VERSION "\" \"User commands\"\n.SH NAME\nfrit \\- "
      << roff(app.get_description()) << "\n.SH SYNOPSIS\n.B frit\n.I command\n[\n.I options\n]\n.SH COMMANDS\n";
  for (const CLI::App* c : commands_of(app)) {
    out << ".SS " << roff(c->get_name()) << "\n" << roff(c->get_description()) << ".\n";
    for (const CLI::Option* o : c->get_options()) {
      std::string names;
      for (const std::string& s : spellings(*o)) names += (names.empty() ? "" : ", ") + s;
      out << ".TP\n.B " << roff(names.empty() ? o->get_name() : names)
          << (takes_value(*o) && !names.empty() ? " \\fIvalue\\fR" : "") << "\n"
          << roff(o->get_description()) << "\n";
    }
  }
  out << ".SH EXIT STATUS\n0 for success, 1 for bad input, 2 for wrong usage.\n";
}

}  // namespace

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* c = app.add_subcommand("completion", "print the script that completes frit's arguments in a shell");
  c->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(CLI::IsMember({"bash", "zsh", "fish"}));
  c->callback([&app, shell] { (*shell == "bash" ? bash : *shell == "zsh" ? zsh : fish)(app, std::cout); });
  app.add_subcommand("man", "print the manual page of frit")->callback([&app] { manual(app, std::cout); });
}

}  // namespace frit::cli
