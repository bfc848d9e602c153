package b

type Bare struct{} // want `Bare has no doc comment`

// Said is said.
type Said struct{}

func (Said) Silent() {} // want `Silent has no doc comment`

// Spoken is spoken.
func (*Said) Spoken() {}

func (g *Generic[T]) Quiet() {} // want `Quiet has no doc comment`

// Generic is generic.
type Generic[T any] struct{}

type hidden struct{}

func (hidden) Method() {}

func Loose() {} // want `Loose has no doc comment`

// A group.
const (
	One = 1
	Two = 2
)

var Three = 3 // want `Three has no doc comment`

var (
	Four = 4 // the number after three
	five = 5
)
