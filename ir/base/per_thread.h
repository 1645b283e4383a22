// Storage of a thread's own that may be used until the process ends.
#pragma once

namespace frit {

// The calling thread's own T: made at its first use, freed as the thread ends. A plain thread_local object of the main
// thread is destroyed before handlers of atexit and destructors of static objects run, and those may still trace,
// compile and evaluate (FRIT_REPORT writes its pages there). They get a new T, which then lives as long as the process.
// T is a type of the one place that uses it, as places with the same T share it.
template <class T>
class PerThread {
 public:
  static T& get() { return mine_ ? *mine_ : make(); }

 private:
  struct Owner {
    ~Owner() {
      delete mine_;
      mine_ = nullptr;
      ended_ = true;
    }
  };
  static T& make() {
    mine_ = new T();
    if (!ended_) {
      thread_local Owner owner;
      (void)owner;
    }
    return *mine_;
  }
  // Pointers without constructors: reached without a guard, and valid to read at any time.
  static inline constinit thread_local T* mine_ = nullptr;
  static inline constinit thread_local bool ended_ = false;
};

}  // namespace frit
