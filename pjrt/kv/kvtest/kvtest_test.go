// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: 2026 The purepjrt Authors

package kvtest_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/purepjrt/purepjrt/pjrt/kv"
	"github.com/purepjrt/purepjrt/pjrt/kv/kvtest"
)

// faulty is a store in which a test replaces one of the methods.
type faulty struct {
	kv.Store
	get    func(ctx context.Context, key string) ([]byte, error)
	tryGet func(ctx context.Context, key string) ([]byte, error)
	put    func(ctx context.Context, key string, value []byte) error
}

func (f *faulty) Get(ctx context.Context, key string) ([]byte, error) {
	if f.get != nil {
		return f.get(ctx, key)
	}
	return f.Store.Get(ctx, key)
}

func (f *faulty) TryGet(ctx context.Context, key string) ([]byte, error) {
	if f.tryGet != nil {
		return f.tryGet(ctx, key)
	}
	return f.Store.TryGet(ctx, key)
}

func (f *faulty) Put(ctx context.Context, key string, value []byte) error {
	if f.put != nil {
		return f.put(ctx, key, value)
	}
	return f.Store.Put(ctx, key, value)
}

// faults lists ways to break a store, each with the subtest that must notice.
var faults = map[string]struct {
	test  string
	spoil func(s *faulty)
}{
	"keys are C strings": {"AValueComesBack", func(s *faulty) {
		s.put = func(ctx context.Context, key string, value []byte) error {
			key, _, _ = strings.Cut(key, "\x00")
			return s.Store.Put(ctx, key, value)
		}
	}},
	"values are trimmed": {"AValueComesBack", func(s *faulty) {
		s.put = func(ctx context.Context, key string, value []byte) error {
			return s.Store.Put(ctx, key, bytes.Trim(value, "\x00"))
		}
	}},
	"an absent key is an empty value": {"AKeyWithoutAValueIsNotFound", func(s *faulty) {
		s.tryGet = func(ctx context.Context, key string) ([]byte, error) {
			v, err := s.Store.TryGet(ctx, key)
			if errors.Is(err, kv.ErrNotFound) {
				return nil, nil
			}
			return v, err
		}
	}},
	"not found is some error": {"AKeyWithoutAValueIsNotFound", func(s *faulty) {
		s.tryGet = func(ctx context.Context, key string) ([]byte, error) {
			v, err := s.Store.TryGet(ctx, key)
			if errors.Is(err, kv.ErrNotFound) {
				return nil, errors.New("no such key")
			}
			return v, err
		}
	}},
	"the first value stays": {"PutReplaces", func(s *faulty) {
		s.put = func(ctx context.Context, key string, value []byte) error {
			if _, err := s.Store.TryGet(ctx, key); err == nil {
				return nil
			}
			return s.Store.Put(ctx, key, value)
		}
	}},
	"a second value is refused": {"PutReplaces", func(s *faulty) {
		s.put = func(ctx context.Context, key string, value []byte) error {
			if _, err := s.Store.TryGet(ctx, key); err == nil {
				return errors.New("key exists")
			}
			return s.Store.Put(ctx, key, value)
		}
	}},
	"values are shared": {"ValuesAreCopied", func(s *faulty) {
		var values sync.Map
		s.put = func(ctx context.Context, key string, value []byte) error {
			values.Store(key, value)
			return s.Store.Put(ctx, key, value)
		}
		s.get = func(ctx context.Context, key string) ([]byte, error) {
			if _, err := s.Store.Get(ctx, key); err != nil {
				return nil, err
			}
			v, _ := values.Load(key)
			return v.([]byte), nil
		}
	}},
	"the empty key is a key": {"TheEmptyKeyIsRefused", func(s *faulty) {
		s.put = func(ctx context.Context, key string, value []byte) error {
			if key == "" {
				return nil
			}
			return s.Store.Put(ctx, key, value)
		}
	}},
	"Get takes any key for its own": {"GetWaitsForItsKeyOnly", func(s *faulty) {
		got := make(chan struct{})
		s.get = func(ctx context.Context, key string) ([]byte, error) {
			v, err := s.Store.Get(ctx, key)
			if key == "key" {
				close(got)
			}
			return v, err
		}
		s.put = func(ctx context.Context, key string, value []byte) error {
			if key == "other" {
				_ = s.Store.Put(ctx, "key", value)
				<-got // however late it begins
			}
			return s.Store.Put(ctx, key, value)
		}
	}},
	"one waiter is woken": {"OnePutWakesAllWhoWait", func(s *faulty) {
		var once sync.Once
		s.get = func(ctx context.Context, key string) ([]byte, error) {
			v, err := s.Store.Get(ctx, key)
			first := false
			once.Do(func() { first = true })
			if !first {
				return nil, errors.New("lost")
			}
			return v, err
		}
	}},
	"Get looks, and waits without looking again": {"NoPutIsMissed", func(s *faulty) {
		var mu sync.Mutex
		waiting := map[string]chan struct{}{}
		s.put = func(ctx context.Context, key string, value []byte) error {
			err := s.Store.Put(ctx, key, value)
			mu.Lock()
			defer mu.Unlock()
			if c := waiting[key]; c != nil {
				close(c)
			}
			return err
		}
		s.get = func(ctx context.Context, key string) ([]byte, error) {
			if v, err := s.Store.TryGet(ctx, key); err == nil {
				return v, nil
			}
			time.Sleep(time.Millisecond)
			c := make(chan struct{})
			mu.Lock()
			waiting[key] = c
			mu.Unlock()
			select {
			case <-c:
				return s.Store.Get(ctx, key)
			case <-time.After(2 * time.Second):
				return nil, errors.New("nothing came")
			}
		}
	}},
	"a deadline is not waited for": {"AWaitEndsWithItsContext", func(s *faulty) {
		s.get = func(ctx context.Context, key string) ([]byte, error) {
			if v, err := s.Store.TryGet(ctx, key); err == nil {
				return v, nil
			}
			return nil, context.DeadlineExceeded
		}
	}},
	"a wait that ended has an error of its own": {"AWaitEndsWithItsContext", func(s *faulty) {
		s.get = func(ctx context.Context, key string) ([]byte, error) {
			v, err := s.Store.Get(ctx, key)
			if err != nil {
				return nil, errors.New("timed out")
			}
			return v, nil
		}
	}},
	"Put looks at no context": {"AnEndedContextIsRefused", func(s *faulty) {
		s.put = func(ctx context.Context, key string, value []byte) error {
			return s.Store.Put(context.WithoutCancel(ctx), key, value)
		}
	}},
	"one lock too few": {"ManyGoroutinesShareAStore", func(s *faulty) {
		var calls atomic.Int32
		s.get = func(ctx context.Context, key string) ([]byte, error) {
			defer calls.Add(-1)
			if calls.Add(1) > 1 {
				return nil, errors.New("concurrent calls")
			}
			return s.Store.Get(ctx, key)
		}
	}},
	"values are read in two steps": {"ValuesAreNeverMixed", func(s *faulty) {
		s.get = func(ctx context.Context, key string) ([]byte, error) {
			v, err := s.Store.Get(ctx, key)
			time.Sleep(time.Millisecond)
			w, _ := s.Store.TryGet(ctx, key)
			return slices.Concat(v[:len(v)/2], w[len(w)/2:]), err
		}
	}},
}

const faultVariable = "PUREPJRT_KVTEST_FAULT"

// TestFaultyStore is the part of TestEveryFaultIsNoticed that runs in a separate process.
func TestFaultyStore(t *testing.T) {
	fault, ok := faults[os.Getenv(faultVariable)]
	if !ok {
		return
	}
	kvtest.TestStore(t, func(*testing.T) kv.Store {
		s := &faulty{Store: kv.NewMemory()}
		fault.spoil(s)
		return s
	})
}

func TestEveryFaultIsNoticed(t *testing.T) {
	for name, fault := range faults {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(os.Args[0], "-test.run=^TestFaultyStore$/^"+fault.test+"$", "-test.timeout=60s")
			cmd.Env = append(os.Environ(), faultVariable+"="+name)
			out, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			require.ErrorAs(t, err, &exit, "the fault went unnoticed:\n%s", out)
			assert.Contains(t, string(out), "--- FAIL: TestFaultyStore/"+fault.test)
			assert.NotContains(t, string(out), "panic:")
		})
	}
}
