// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package plugins

import (
	"fmt"
	"maps"
	"path"
	"runtime"
	"slices"
	"strings"
)

// A Package is a plugin that [Install] can download: one version of one Python distribution, with
// the SHA-256 of its wheel for each platform that has one.
type Package struct {
	// Name is the name that Install and Find take: "cpu", or "tpu@0.0.2" for a version other than
	// the default. The version of the API, as in "cpu@0.81", and that of the distribution mean the
	// same.
	Name string
	// Project and Version name the Python distribution.
	Project, Version string
	// Library is the path of the plugin inside the wheel, with slashes.
	Library string

	api      string           // version of the PJRT API
	old      bool             // kept for tests against older plugins, and used only if asked for
	wheels   map[string]wheel // by platform, as in Platforms
	compiler []Package        // what the plugin compiles with, if that is not part of it; these have files and no library
	files    []string         // what is unpacked from a compiler's wheel, under the same paths
}

// wheel pins one file of a distribution.
type wheel struct {
	abi            string // pip's --abi; "none" if any interpreter will do
	tag            string // pip's --platform
	sha256         string
	size, unpacked int64 // bytes of the wheel, and of what is unpacked from it
}

const (
	linuxAMD64 = "linux/amd64"
	linuxARM64 = "linux/arm64"
)

// cpuVersions lists the versions of the API of the plugins for CPUs, the preferred one first. The
// name cpu means the first one that has a wheel for the platform.
var cpuVersions = []string{"0.115", "0.81"}

// packages lists what there is for the platform of this process, in the order of Packages.
var packages = packagesFor(runtime.GOOS + "/" + runtime.GOARCH)

// packagesFor returns the packages as they are called on a platform.
func packagesFor(platform string) []Package {
	list := slices.Clone(distributions)
	rank := func(p Package) int {
		if p.kind() != "cpu" {
			return len(cpuVersions)
		}
		return slices.Index(cpuVersions, p.api)
	}
	slices.SortStableFunc(list, func(a, b Package) int { return rank(a) - rank(b) })
	first := slices.IndexFunc(list, func(p Package) bool { return p.kind() == "cpu" && p.wheels[platform].sha256 != "" })
	list[max(first, 0)].Name = "cpu"
	return list
}

// compilerForCUDA12 is what each plugin for CUDA 12 compiles with.
var compilerForCUDA12 = []Package{{
	Name: "cuda12", Project: "nvidia-cuda-nvcc-cu12", Version: "12.9.86",
	files: []string{"nvidia/cuda_nvcc/bin/ptxas", "nvidia/cuda_nvcc/nvvm/libdevice/libdevice.10.bc"},
	wheels: map[string]wheel{
		linuxAMD64: {"none", "manylinux2010_x86_64", "5d6a0d32fdc7ea39917c20065614ae93add6f577d840233237ff08e9a38f58f0",
			40_546_229, 35_476_486},
		linuxARM64: {"none", "manylinux2014_aarch64", "44e1eca4d08926193a558d2434b1bf83d57b4d5743e0c431c0c83d51da1df62b",
			39_411_138, 29_434_694},
	},
}}

// distributions has the default of each kind, then the versions kept for tests against older
// plugins.
var distributions = []Package{
	{
		Name: "cpu@0.115", Project: "lammps-jax-pjrt-cpu", Version: "0.11.2",
		Library: "lammps_jax_pjrt_cpu/pjrt_c_api_cpu_plugin.so",
		api:     "0.115",
		wheels: map[string]wheel{
			linuxAMD64: {"none", "manylinux_2_27_x86_64", "1319390d948b39f69f7dade496b7c385149d9ca6097a6b62114da113216d9ad1",
				62_711_338, 201_863_543},
		},
	},
	{
		Name: "cpu@0.81", Project: "xla-cpu-pjrt", Version: "0.0.1",
		Library: "xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so",
		api:     "0.81",
		wheels: map[string]wheel{
			linuxAMD64: {"none", "manylinux_2_27_x86_64", "55837b6b7b47daa717f2d9a5a03563ea0ceaa338d06a81a1e2d3f060d960decc",
				63_461_052, 259_390_571},
			linuxARM64: {"none", "manylinux_2_27_aarch64", "8f613be6e891858f40d64f9799319502fff42689661944fc18a6ffd8210b30c9",
				49_514_947, 200_434_243},
		},
	},
	{
		Name: "tpu", Project: "libtpu", Version: "0.0.52",
		Library: "libtpu/libtpu.so",
		api:     "0.117",
		wheels: map[string]wheel{
			linuxAMD64: {"cp311", "manylinux_2_31_x86_64", "f5e2e596eaea9357fbb5a6755a7a9007c6ab75bfde4a55191b03eff402971140",
				137_064_406, 468_293_721},
		},
	},
	{
		Name: "cuda13", Project: "jax-cuda13-pjrt", Version: "0.12.0.1",
		Library: "jax_plugins/xla_cuda13/xla_cuda_plugin.so",
		api:     "0.116",
		wheels: map[string]wheel{
			linuxAMD64: {"none", "manylinux_2_27_x86_64", "5899bb6177eda86ea532afb9a26794f2bdd04966f6a01f9028266b16c2b6cf90",
				134_922_808, 395_967_648},
			linuxARM64: {"none", "manylinux_2_27_aarch64", "40758d042df8c06991b6a1a8016b56e9cefb1ed4c677c062125c3eb71c3dab97",
				128_847_710, 376_071_120},
		},
		compiler: []Package{
			{
				Name: "cuda13", Project: "nvidia-cuda-nvcc", Version: "13.5.37",
				files: []string{"nvidia/cu13/bin/ptxas", "nvidia/cu13/bin/nvlink", "nvidia/cu13/bin/fatbinary"},
				wheels: map[string]wheel{
					linuxAMD64: {"none", "manylinux2014_x86_64", "f5c4f7ead5d964fb4af42bbf1e6d3ec3c1e6e9d83b53749f691d387e7fcaa3a7",
						47_028_279, 98_369_878},
					linuxARM64: {"none", "manylinux2014_aarch64", "588eda18eb5076ae859fe272844b526459228af22df0b117f54eec3aa82bc9c8",
						40_745_418, 86_748_606},
				},
			},
			{
				Name: "cuda13", Project: "nvidia-nvvm", Version: "13.5.37",
				files: []string{"nvidia/cu13/nvvm/libdevice/libdevice.10.bc"},
				wheels: map[string]wheel{
					linuxAMD64: {"none", "manylinux2010_x86_64", "c41bfa362e407405163f103c2229f0765f8cc2ed7d148b754dc77f228bf7e070",
						75_141_406, 524_766},
					linuxARM64: {"none", "manylinux2014_aarch64", "b659bd3115b7ac7ec8931e67d0e2c0dd09cd35b08a6a7372df6f8f22c67da80a",
						71_213_582, 524_766},
				},
			},
		},
	},
	{
		Name: "cuda12", Project: "jax-cuda12-pjrt", Version: "0.12.0.1",
		Library: "jax_plugins/xla_cuda12/xla_cuda_plugin.so",
		api:     "0.116",
		wheels: map[string]wheel{
			linuxAMD64: {"none", "manylinux_2_27_x86_64", "5ec28e06198d094031c37590b4ea753ae8cde4879ab4b60baf40f0dffb673286",
				191_846_358, 486_596_368},
			linuxARM64: {"none", "manylinux_2_27_aarch64", "e6aa6c58c5420c1bda22db31a2f6c5c1d0a66cb701eeb731feae44fef197717c",
				185_765_557, 466_355_648},
		},
		compiler: compilerForCUDA12,
	},
	{
		Name: "rocm10", Project: "jax-rocm10-pjrt", Version: "0.12.0",
		Library: "jax_plugins/xla_rocm10/xla_rocm_plugin.so",
		api:     "0.116",
		wheels: map[string]wheel{
			linuxAMD64: {"none", "manylinux_2_27_x86_64", "45ee7b471b71a582ce165dd63069b10d1d8923d849b61b6fa8783f1d13294edb",
				133_727_472, 459_361_656},
		},
	},
	{
		Name: "rocm7", Project: "jax-rocm7-pjrt", Version: "0.12.0",
		Library: "jax_plugins/xla_rocm7/xla_rocm_plugin.so",
		api:     "0.116",
		wheels: map[string]wheel{
			linuxAMD64: {"none", "manylinux_2_27_x86_64", "4551d0714523355f2946ca1958c3f584e95661e467a641d36b726f718a1c7934",
				133_415_872, 459_001_112},
		},
	},
	{
		Name: "rocm60", Project: "jax-rocm60-pjrt", Version: "0.5.0",
		Library: "jax_plugins/xla_rocm60/xla_rocm_plugin.so",
		api:     "0.64",
		wheels: map[string]wheel{
			linuxAMD64: {"none", "manylinux_2_28_x86_64", "e8097aa9dde2b759604e7b3f163e50dc83380968002e32fc770a8f91126d1b55",
				122_917_187, 559_999_768},
		},
	},
	{
		Name: "oneapi", Project: "jax-oneapi-pjrt", Version: "0.11.2",
		Library: "jax_plugins/xla_oneapi/xla_oneapi_plugin.so",
		api:     "0.115",
		wheels: map[string]wheel{
			linuxAMD64: {"none", "manylinux_2_27_x86_64", "ae7250c5d4459dcfedf4de1bf683edfef0502861e44b6e9bfaa7d8133b4292c1",
				135_149_983, 521_495_584},
		},
	},
	{
		Name: "tt", Project: "jax-tt-plugin", Version: "0.1.3",
		Library: "jax_plugins/libtt/libtt.so",
		api:     "0.114",
		wheels: map[string]wheel{
			linuxAMD64: {"none", "manylinux_2_34_x86_64", "10f2fe2f77b3f0d25a68a9fbf53dab713b1edd854f1ab50bf973783c9be9da83",
				83_550_265, 142_519_864},
		},
	},
	{
		Name: "tpu@0.0.11", Project: "libtpu", Version: "0.0.11",
		Library: "libtpu/libtpu.so",
		api:     "0.67",
		old:     true,
		wheels: map[string]wheel{
			linuxAMD64: {"none", "manylinux_2_31_x86_64", "c410f3b5f62e404eef97ff8e7be5b0fac541654ae3f0354f195e9d46b40e5a72",
				130_411_135, 322_573_768},
		},
	},
	{
		Name: "tpu@0.0.2", Project: "libtpu", Version: "0.0.2",
		Library: "libtpu/libtpu.so",
		api:     "0.55",
		old:     true,
		wheels: map[string]wheel{
			linuxAMD64: {"none", "manylinux_2_27_x86_64", "05e1b59b09cc5558ca13e39a0f873e5837f95cf69b2c6485ca5d9816bb0e3621",
				128_926_851, 306_568_592},
		},
	},
	{
		Name: "cuda12@0.6.0", Project: "jax-cuda12-pjrt", Version: "0.6.0",
		Library: "jax_plugins/xla_cuda12/xla_cuda_plugin.so",
		api:     "0.68",
		old:     true,
		wheels: map[string]wheel{
			linuxAMD64: {"none", "manylinux2014_x86_64", "68371bd9c135244b89663039be208255698a75bec9854d419ea3c3f957ca4646",
				123_355_777, 320_367_544},
			linuxARM64: {"none", "manylinux2014_aarch64", "9bfebb06a39614cb6899f7730ea8561f11156ac81cbb3ec6884a62afb3b15ff3",
				109_541_080, 265_941_568},
		},
		compiler: compilerForCUDA12,
	},
	{
		Name: "cuda12@0.4.34", Project: "jax-cuda12-pjrt", Version: "0.4.34",
		Library: "jax_plugins/xla_cuda12/xla_cuda_plugin.so",
		api:     "0.54",
		old:     true,
		wheels: map[string]wheel{
			linuxAMD64: {"none", "manylinux2014_x86_64", "0c7cc98f962cc7fc8e0a5ea6331b42a0cee516f202f1c3019f6aa5cd9530cca0",
				100_255_215, 279_264_656},
			linuxARM64: {"none", "manylinux2014_aarch64", "6247459827550e7d11480f5707d7d2843cbf57bcda5d833565493456075cd143",
				83_805_052, 214_020_800},
		},
		compiler: compilerForCUDA12,
	},
	{
		Name: "cuda12@0.4.23", Project: "jax-cuda12-pjrt", Version: "0.4.23",
		Library: "jax_plugins/xla_cuda12/xla_cuda_plugin.so",
		api:     "0.40",
		old:     true,
		wheels: map[string]wheel{
			linuxAMD64: {"none", "manylinux2014_x86_64", "4f82821092d4224d142fecb5b766db9438a42299a2a12130d55be8dd0ec30c54",
				78_340_444, 257_720_528},
			linuxARM64: {"none", "manylinux2014_aarch64", "8f5cc168d7e983c501b9ffdb517a5eb734dabb97dbcde0253962c19039446c1d",
				78_094_090, 261_853_512},
		},
	},
}

// Packages lists the plugins that [Install] can download, for all platforms. The caller may change
// the slice.
func Packages() []Package { return slices.Clone(packages) }

// Platforms lists the platforms that p has a wheel for, as GOOS/GOARCH, sorted.
func (p *Package) Platforms() []string {
	if p == nil {
		return nil
	}
	return slices.Sorted(maps.Keys(p.wheels))
}

// AnswersTo reports whether name asks for p: it is the name of p, or its kind with the version of
// the distribution or of the API, such as "cpu@0.0.1" or "cpu@0.81".
func (p *Package) AnswersTo(name string) bool {
	return p != nil && (name == p.Name || slices.Contains(p.versionNames(), name))
}

func (p *Package) versionNames() []string {
	list := []string{p.kind() + "@" + p.Version}
	if p.api != "" {
		list = append(list, p.kind()+"@"+p.api)
	}
	return list
}

// alternative reports whether p is neither the default of its kind nor old. The name of the kind
// finds it if the default is not installed.
func (p *Package) alternative() bool { return strings.Contains(p.Name, "@") && !p.old }

func (p *Package) kind() string {
	kind, _, _ := strings.Cut(p.Name, "@")
	return kind
}

// A Size is how many bytes an installation takes.
type Size struct {
	Download int64 // by pip
	Disk     int64 // afterwards
}

// Size returns what [Install] downloads and unpacks for p on the platform of this process. It is
// zero if p has no wheel for it.
func (p *Package) Size() Size {
	if p == nil {
		return Size{}
	}
	w := p.wheels[runtime.GOOS+"/"+runtime.GOARCH]
	return Size{w.size, w.unpacked}
}

// CompilerSize returns what [InstallOptions.Compiler] adds to the download and to the disk for p on
// the platform of this process. It is zero if p needs nothing more to compile.
func (p *Package) CompilerSize() (sum Size) {
	if p == nil {
		return sum
	}
	for i := range p.compiler {
		s := p.compiler[i].Size()
		sum.Download += s.Download
		sum.Disk += s.Disk
	}
	return sum
}

// pick returns the wheel of p for platform.
func (p *Package) pick(platform string) (wheel, error) {
	w, ok := p.wheels[platform]
	if !ok {
		return wheel{}, fmt.Errorf("plugin %q (%s %s) has no wheel for %s, only for %s: build the plugin for your platform and give its path",
			p.Name, p.Project, p.Version, platform, strings.Join(p.Platforms(), " and "))
	}
	return w, nil
}

// id returns the name of the directory of an installed wheel. The hash distinguishes wheels of the
// same version.
func (p *Package) id(w wheel) string {
	return p.kind() + "-" + p.Version + "-" + w.sha256[:12]
}

// fileName returns the name of the library inside the directory of the plugin.
func (p *Package) fileName() string { return path.Base(p.Library) }

// known finds name in table. The name of a platform, such as cuda, means the first package for it.
func known(table []Package, name string) (*Package, error) {
	for _, answers := range []func(*Package) bool{
		func(p *Package) bool { return p.AnswersTo(name) },
		func(p *Package) bool { return !strings.Contains(p.Name, "@") && platformOf(p.Name) == name },
	} {
		for i := range table {
			if answers(&table[i]) {
				return &table[i], nil
			}
		}
	}
	hint := ""
	if near := nearest(name, names(table)); near != "" {
		hint = "did you mean " + near + "? "
	}
	return nil, fmt.Errorf("unknown plugin %q: %sthe known ones are %s", name, hint, strings.Join(names(table), ", "))
}

func names(table []Package) []string {
	all := make([]string, len(table))
	for i := range table {
		all[i] = table[i].Name
	}
	return all
}
