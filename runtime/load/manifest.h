// The manifest of a package (runtime/load/package_file.h) as JSON.
#pragma once

#include <string>
#include <vector>

#include "runtime/load/package_file.h"

namespace frit::runtime {

// Contents and the numbers of the sections that they went to.
struct ManifestSource {
  const PackageContents& contents;
  size_t ir = 0;
  std::vector<size_t> signatures = {};  // one per function
  std::vector<size_t> images = {};      // one per variant, in order
  std::vector<size_t> weights = {};     // one per weight that is inside
};

std::string write_manifest(const ManifestSource& source, const std::vector<PackageFile::Section>& sections);

// Fills in a package from its manifest. Sections must lie before `end`.
Status read_manifest(PackageFile& package, size_t end);

}  // namespace frit::runtime
