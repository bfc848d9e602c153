# Isolated Python leaves out the packages of the user. They come back where Python has them: behind
# the standard library, in front of the packages of the system.
import os, site, sys
if sys.base_prefix in site.PREFIXES and not os.environ.get("PYTHONNOUSERSITE"):
    user = site.getusersitepackages()
    if user and os.path.isabs(user) and os.path.isdir(user):
        old = list(sys.path)
        site.addsitedir(user)
        at = min([i for i, d in enumerate(old) if d in site.getsitepackages()], default=len(old))
        sys.path[:] = old[:at] + sys.path[len(old):] + old[at:]

# Where standard input is a pipe that only the process that started this one holds open, this one
# ends with it, and so do the scripts in front of the interpreter, which are in the same group.
def end_with_pipe():
    import signal
    try:
        while os.read(0, 4096):
            pass
    except OSError:
        pass
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)

if os.environ.pop("PUREPJRT_PYTHON_LIFELINE", None):
    import _thread, stat
    try:
        if stat.S_ISFIFO(os.fstat(0).st_mode):  # else a script replaced it
            _thread.start_new_thread(end_with_pipe, ())
    except OSError:
        pass
