// Keeps the static objects of LLVM for the life of the process.
//
// A program may compile in the destructor of a static object of its own. The plugin was loaded after that object was
// made, so its static objects would be destroyed first, and LLVM would read destroyed tables of passes. The C++ runtime
// registers their destructors by __cxa_atexit; the linker resolves the plugin's calls to this definition, which
// registers nothing. The system takes back the memory at the end.

extern "C" __attribute__((visibility("hidden"))) int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }
