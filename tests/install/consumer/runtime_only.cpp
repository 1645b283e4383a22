// A program with only the runtime: its process never has a compiler.
#include <runtime/execute/device.h>

#include <fstream>
#include <iostream>
#include <string>

int main() {
  std::cout << frit::runtime::list_devices().front().name << "\n";
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("libfrit_codegen") != std::string::npos || line.find("libfrit_ir") != std::string::npos) {
      std::cerr << "loaded without need: " << line << "\n";
      return 1;
    }
}
