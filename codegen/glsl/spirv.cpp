// GLSL to SPIR-V through glslang, in this process.
#include <SPIRV/GlslangToSpv.h>
#include <SPIRV/disassemble.h>
#include <glslang/Public/ResourceLimits.h>
#include <glslang/Public/ShaderLang.h>
#include <spirv-tools/libspirv.h>

#include <cstring>
#include <mutex>
#include <sstream>

#include "codegen/glsl/shader.h"

namespace frit::codegen::glsl {

namespace {

void initialise() {
  static std::once_flag once;
  std::call_once(once, [] { glslang::InitializeProcess(); });
}

std::vector<unsigned> words_of(const std::string& spirv) {
  std::vector<unsigned> words(spirv.size() / 4);
  std::memcpy(words.data(), spirv.data(), words.size() * 4);
  return words;
}

}  // namespace

Result<std::string> to_spirv(const std::string& glsl, const std::string& name,
                             const std::function<std::string()>& source) {
  initialise();
  glslang::TShader shader(EShLangCompute);
  const char* text = glsl.c_str();
  shader.setStrings(&text, 1);
  shader.setEnvInput(glslang::EShSourceGlsl, EShLangCompute, glslang::EShClientVulkan, 100);
  shader.setEnvClient(glslang::EShClientVulkan, glslang::EShTargetVulkan_1_2);
  shader.setEnvTarget(glslang::EShTargetSpv, glslang::EShTargetSpv_1_5);
  const auto messages = static_cast<EShMessages>(EShMsgSpvRules | EShMsgVulkanRules);
  glslang::TProgram program;
  auto failed = [&](const char* log) {
    return Diagnostic(
        "internal error: the shader of kernel @" + name + " does not compile: " + log + "\n" + source() + "\n" + glsl,
        {}, "please report it with this text");
  };
  if (!shader.parse(GetDefaultResources(), 460, false, messages)) return failed(shader.getInfoLog());
  program.addShader(&shader);
  if (!program.link(messages)) return failed(program.getInfoLog());
  std::vector<unsigned> words;
  glslang::SpvOptions options;
  options.disableOptimizer = true;
  options.generateDebugInfo = false;
  spv::SpvBuildLogger logger;
  glslang::GlslangToSpv(*program.getIntermediate(EShLangCompute), words, &logger, &options);
  if (words.empty()) return failed(logger.getAllMessages().c_str());
  return std::string(reinterpret_cast<const char*>(words.data()), words.size() * 4);
}

Result<std::string> list_words(const std::string& spirv) {
  const std::vector<unsigned> words = words_of(spirv);
  const spv_context context = spvContextCreate(SPV_ENV_UNIVERSAL_1_6);
  spv_text text = nullptr;
  spv_diagnostic why = nullptr;
  const bool good = spvBinaryToText(context, words.data(), words.size(), SPV_BINARY_TO_TEXT_OPTION_INDENT, &text,
                                    &why) == SPV_SUCCESS;
  Result<std::string> listed = std::string();
  if (good)
    listed = std::string(text->str, text->length);
  else
    listed = Diagnostic("a shader cannot be read: " + std::string(why && why->error ? why->error : "it is damaged"));
  spvTextDestroy(text);
  spvDiagnosticDestroy(why);
  spvContextDestroy(context);
  return listed;
}

std::string disassemble(const std::string& spirv) {
  std::ostringstream out;
  spv::Disassemble(out, words_of(spirv));
  return out.str();
}

}  // namespace frit::codegen::glsl
