module github.com/purepjrt/purepjrt/extensions/ffi/lapack

go 1.26.0

require (
	github.com/purepjrt/purepjrt v0.1.0
	github.com/stretchr/testify v1.12.1
	gonum.org/v1/gonum v0.16.0
)

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/sys v0.47.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
