// Names that C and C++ programs may use.
#include <algorithm>
#include <array>
#include <cctype>

#include "codegen/package/c_interface.h"

namespace frit::codegen {
namespace {

// Keywords of C and C++, types and macros of the standard headers that the files include, and functions of the C library, which owns their names:
// a library that exports its own `select` would be called in the place of the system's.
constexpr std::string_view kTaken[] = {
    "BUFSIZ", "EDOM", "EILSEQ", "EOF", "ERANGE", "FLT_EVAL_METHOD", "I", "INFINITY", "NAN", "NDEBUG", "NULL", "PTRDIFF_MAX", "SIZE_MAX", "abort",
    "abs", "accept", "access", "acos", "acosh", "alignas", "alignof", "and", "and_eq", "asin", "asinh", "asm", "assert", "atan", "atan2", "atanh",
    "atexit", "atof", "atoi", "atol", "atoll", "auto", "bind", "bitand", "bitor", "bool", "break", "bsearch", "cacos", "calloc", "carg", "case",
    "casin", "catan", "catch", "cbrt", "ccos", "ceil", "cexp", "char", "char16_t", "char32_t", "char8_t", "chdir", "chmod", "class", "clock",
    "clog", "clone", "close", "co_await", "co_return", "co_yield", "compl", "complex", "concept", "conj", "connect", "const", "const_cast",
    "consteval", "constexpr", "constinit", "continue", "copysign", "cos", "cosh", "cpow", "creal", "csin", "csqrt", "ctan", "ctime", "daemon",
    "decltype", "default", "delete", "difftime", "div", "do", "double", "double_t", "drem", "dup", "dup2", "dynamic_cast", "else", "encrypt",
    "enum", "environ", "erf", "erfc", "err", "errno", "error", "execl", "execv", "exit", "exp", "exp2", "explicit", "expm1", "export", "extern",
    "fabs", "false", "fclose", "fdim", "feof", "ferror", "fflush", "fgetc", "fgets", "finite", "float", "float_t", "floor", "fma", "fmax", "fmin",
    "fmod", "fopen", "for", "fork", "fpclassify", "fprintf", "fputc", "fputs", "fread", "free", "frexp", "friend", "fscanf", "fseek", "ftell",
    "fwrite", "gamma", "getc", "getchar", "getenv", "getopt", "getpid", "gets", "gmtime", "goto", "hypot", "if", "ilogb", "index", "inline",
    "insque", "int", "isfinite", "isgreater", "isinf", "isless", "isnan", "isnormal", "isunordered", "j0", "j1", "jn", "kill", "labs", "ldexp",
    "ldiv", "lgamma", "link", "linux", "listen", "llabs", "lldiv", "llrint", "llround", "localtime", "log", "log10", "log1p", "log2", "logb",
    "long", "longjmp", "lrint", "lround", "lseek", "main", "malloc", "math_errhandling", "message", "mkdir", "mktime", "mmap", "modf", "mount",
    "mutable", "namespace", "nan", "nearbyint", "new", "nextafter", "nexttoward", "nice", "noexcept", "noreturn", "not", "not_eq", "nullptr",
    "offsetof", "open", "operator", "or", "or_eq", "pause", "perror", "pipe", "poll", "popen", "pow", "printf", "private", "protected", "ptrdiff_t",
    "public", "putc", "putchar", "puts", "qsort", "raise", "rand", "random", "read", "realloc", "recv", "register", "reinterpret_cast", "remainder",
    "remove", "remquo", "rename", "requires", "restrict", "return", "rewind", "rindex", "rint", "rmdir", "round", "scalb", "scalbln", "scalbn",
    "scanf", "select", "send", "setbuf", "setjmp", "short", "shutdown", "signal", "signbit", "signed", "significand", "sin", "sinh", "size_t",
    "sizeof", "sleep", "socket", "splice", "sprintf", "sqrt", "srand", "srandom", "sscanf", "stat", "static", "static_assert", "static_cast",
    "stderr", "stdin", "stdout", "struct", "swab", "switch", "sync", "system", "tan", "tanh", "tee", "template", "tgamma", "this", "thread_local",
    "throw", "time", "times", "tmpfile", "tmpnam", "true", "trunc", "truncate", "try", "typedef", "typeid", "typename", "typeof", "uint", "ulong",
    "umask", "ungetc", "union", "unix", "unlink", "unsigned", "ushort", "using", "usleep", "virtual", "void", "volatile", "wait", "waitpid", "warn",
    "wchar_t", "while", "workspace", "write", "xor", "xor_eq", "y0", "y1", "yn",
};

bool is_taken(std::string_view s) {
  auto among = [](std::string_view name) { return std::find(std::begin(kTaken), std::end(kTaken), name) != std::end(kTaken); };
  if (among(s)) return true;
  // Functions of <math.h> come for float and long double too.
  if (s.size() > 2 && (s.back() == 'f' || s.back() == 'l') && among(s.substr(0, s.size() - 1))) return true;
  auto begins = [&](std::string_view prefix) { return s.substr(0, prefix.size()) == prefix; };
  auto ends = [&](std::string_view suffix) { return s.size() >= suffix.size() && s.substr(s.size() - suffix.size()) == suffix; };
  for (std::string_view p : {"frit_", "FRIT_", "cblas_", "Cblas", "CBLAS_", "INT", "UINT", "DBL_", "FLT_", "LDBL_", "FP_", "HUGE_", "MATH_", "M_"})
    if (begins(p)) return true;
  for (std::string_view p : {"str", "mem", "wcs"})
    if (begins(p) && s.size() > 3 && std::islower(static_cast<unsigned char>(s[3]))) return true;
  return ends("_t") && (begins("int") || begins("uint"));
}

}  // namespace

std::string c_identifier(std::string_view text) {
  std::string s;
  for (char c : text) {
    const bool legal = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    // Two underscores in a row are the compiler's.
    if (legal) s += c;
    else if (s.empty() || s.back() != '_') s += '_';
  }
  while (!s.empty() && s.front() == '_') s.erase(s.begin());
  if (s.empty() || (s[0] >= '0' && s[0] <= '9')) s = "v" + s;
  if (!is_taken(s)) return s;
  return s.back() == '_' || is_taken(s + "_") ? "v_" + s : s + "_";
}

}  // namespace frit::codegen
