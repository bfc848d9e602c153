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
