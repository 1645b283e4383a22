// The C interface of a planned function, which emitted C source and shared objects have in common.
//
//   size_t gelu_workspace(int64_t m, int64_t n);
//   int gelu(const float* x, float* out, int64_t m, int64_t n, void* workspace, const char** message);
//
// Inputs come first, then outputs, then the program's symbols, then the workspace and where the message goes. An
// emitter writes the checks in the order given here, and then runs the program's steps on the memory that `buffers` and
// `locals` name. It decides none of that itself. A CInterface owns its contents and refers to no part of the function.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/package/weights.h"
#include "ir/base/dim_program.h"
#include "ir/kernel/program.h"

namespace frit::codegen {

// The codes that a call returns, and the name of each in the header.
enum class CallCode : uint8_t { Ok, BadSizes, TooLarge, NullArray, BadWorkspace, BadWeights };
std::string_view constant_name(CallCode code);  // "FRIT_CALL_TOO_LARGE"

inline constexpr int64_t kWorkspaceAlignment = 64;

// A parameter of the C function.
struct CParam {
  enum class Kind : uint8_t { Input, Output, Symbol, Workspace, Message, Weights } kind;
  uint32_t index = 0;     // Input: the function's parameter; Output: its result; Symbol: its slot
  std::string name;       // a C identifier
  std::string type;       // "const float*", "int64_t"
  Dtype dtype = float32;  // Input, Output: of the elements
  Dim elements = 0;       // Input, Output: how many the array has
};

// A condition that is checked before anything is read or written, on values of the symbols. All of it is computed in
// arithmetic that sticks at the ends of i64, as DimProgram does.
struct CCheck {
  enum class Kind : uint8_t {
    Zero,         // value == 0
    NonNegative,  // value >= 0
    Fits,  // value, in bytes, is less than PTRDIFF_MAX of the target (a value that sticks at the end of i64 never is)
  } kind;
  Dim value;
  CallCode code;
  std::string message;  // the value of *message after the check fails; FRIT_CALL_OK leaves *message alone
};

// A pointer parameter that must not be null when `elements` is positive. After all CChecks, in the order of the
// parameters.
struct CNullCheck {
  uint32_t param;  // number in CInterface::params
  std::string message;
};

// Where a program's buffer lies during a call.
struct CBuffer {
  enum class Kind : uint8_t { Param, Workspace, Constant, Weight, Unused } kind = Kind::Unused;
  uint32_t param = 0;   // Param: number in CInterface::params
  Dim offset = 0;       // Workspace: bytes from its start, a multiple of kWorkspaceAlignment
  uint32_t weight = 0;  // Weight: number in CWeights::all
};

inline std::string workspace_name(const std::string& function) { return function + "_workspace"; }

struct CInterface {
  std::string name;                  // the C function; beside it stands name + "_workspace"
  std::string signature;             // of the graph function, as its text has it
  std::vector<std::string> symbols;  // of the program: DimProgram slots
  std::vector<CParam> params;
  std::vector<CCheck> checks;  // in order: a later one may rely on those before it
  std::vector<CNullCheck> null_checks;
  // Then, where there is a parameter of kind Weights: it is not null, and a file was opened. Its message.
  std::string no_weights;
  // Then, where workspace_bytes is positive: the workspace is not null and starts at a multiple of kWorkspaceAlignment.
  // Each with its message.
  std::string no_workspace, misaligned_workspace;

  // The workspace has the slots of temporaries, then room for the locals of one kernel at a time. name_workspace
  // returns this size where the checks pass, and else SIZE_MAX, which no caller can allocate.
  Dim workspace_bytes = 0;
  Dim scratch_offset = 0;
  std::vector<CBuffer> buffers;  // one per buffer of the program
  std::vector<std::vector<Dim>>
      locals;           // for each kernel of the program, where each local starts: bytes from scratch_offset
  std::string comment;  // above the declarations in the header, lines without comment marks

  std::string workspace_name() const { return codegen::workspace_name(name); }
  std::string declaration() const;  // "int gelu(const float* x, ...)", without the semicolon
  std::string workspace_declaration() const;
  // A size over the symbols as a program over their slots.
  DimProgram program(const Dim& d) const;
};

// Fails where a result is not a dense output of its own (TargetTraits::dense_results makes it so), or the program is
// not planned.
Result<CInterface> make_c_interface(const ir::Function& f);

// The interfaces of functions that share a header: names are unique among them. Parameters that are bound to weights
// are inputs where `weights` is null or says so; otherwise the tensors are added to it.
Result<std::vector<CInterface>> make_c_interfaces(std::span<const ir::Function* const> functions,
                                                  CWeights* weights = nullptr);

// Adds checks that sizes fit the 32-bit integers of C libraries that the function calls.
void add_c_call_checks(const ir::Function& f, CInterface& c);

// The text of a header `name`.h that declares them, for C and C++. `notes` are lines for its head, such as the
// libraries to link with.
std::string c_header(std::span<const CInterface> functions, std::string_view name, std::string_view notes = {},
                     const CWeights* weights = nullptr);

// `text` as a C identifier that is neither a keyword of C or C++ nor a name that the standard headers own, nor one that
// begins with frit_.
std::string c_identifier(std::string_view text);

}  // namespace frit::codegen
