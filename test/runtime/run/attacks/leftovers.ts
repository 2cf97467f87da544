/**
 * What a program may leave behind: code that leaves something, and code that shows it. In one program the second sees
 * what the first does; in the next program it must not.
 */

/** The shim's link to the host, and the names of the shim, by a frame of the stack. */
export const LINK =
  "import sys\nf = sys._getframe()\nwhile 'link' not in f.f_globals: f = f.f_back\nlink, shim = f.f_globals['link'], f.f_globals\n";

type Leftover = readonly [what: string, leave: string, look: string];

/** A native module, past the import system. */
const native = (name: string): string =>
  `import importlib.machinery as m, _imp\nC = _imp.create_builtin(m.ModuleSpec('${name}', m.BuiltinImporter))\n_imp.exec_builtin(C)\n`;
const shownOr = (look: string): string => `try: seen = ${look}\nexcept OSError as e: seen = e.errno`;

const FILE = "/lib/python314.zip";
const OPENED = `import fcntl, os\nfd = os.open('${FILE}', os.O_RDONLY)\n`;
const WRITABLE = `${OPENED}fcntl.fcntl(fd, fcntl.F_SETFL, os.O_RDWR)\n`;
const AT_100 = `import os\nfd = os.open('${FILE}', os.O_RDONLY)\nseen = os.pread(fd, 12, 100)`;

/** State of the interpreter, which is in its memory. */
const INTERPRETER: readonly Leftover[] = [
  ["a global", "secret = 1", "seen = 'secret' in globals()"],
  [
    "a builtin",
    "import builtins\nbuiltins.len = lambda x: 99\nbuiltins.secret = 1",
    "import builtins\nseen = [len('ab'), hasattr(builtins, 'secret')]",
  ],
  ["json.dumps", "import json\njson.dumps = lambda *a, **k: '\"x\"'", "import json\nseen = json.dumps([1])"],
  [
    "json's default encoder",
    "import json\njson._default_encoder.item_separator = ';'",
    "import json\nseen = json._default_encoder.item_separator",
  ],
  [
    "a module",
    "import sys, types\nsys.modules['secret'] = types.ModuleType('secret')",
    "import sys\nseen = 'secret' in sys.modules",
  ],
  [
    "modules that were loaded",
    "import colorsys, wave",
    "import sys\nseen = ['colorsys' in sys.modules, 'wave' in sys.modules]",
  ],
  [
    "import caches",
    "import sys\nsys.path.append('/x')\nsys.path_importer_cache['/x'] = None\nsys.meta_path.append(object())",
    "import sys\nseen = [sys.path, sorted(sys.path_importer_cache), len(sys.meta_path)]",
  ],
  [
    "the environment",
    "import os\nos.environ['SECRET'] = 's'\nos.putenv('SECRET2', 's')",
    "import os\nseen = [os.environ.get('SECRET')]",
  ],
  [
    "the zone",
    "import os, time\nos.environ['TZ'] = 'JST-9'\ntime.tzset()",
    "import time\nseen = [time.tzname, time.timezone]",
  ],
  [
    "a signal handler",
    "import signal\nsignal.signal(signal.SIGINT, signal.SIG_IGN)",
    "import signal\nseen = str(signal.getsignal(signal.SIGINT))",
  ],
  [
    "hooks of sys",
    "import sys\nsys.excepthook = sys.displayhook = sys.unraisablehook = print",
    "import sys\nseen = [sys.excepthook is print, sys.displayhook is print, sys.unraisablehook is print]",
  ],
  [
    "an audit hook",
    "import sys\nheard = []\nsys.addaudithook(lambda *a: heard.append(a))\nsys.secret = heard",
    "import sys\nsys.audit('x')\nseen = len(getattr(sys, 'secret', []))",
  ],
  ["a trace function", "import sys\nsys.settrace(lambda *a: None)", "import sys\nseen = sys.gettrace() is None"],
  ["a profile function", "import sys\nsys.setprofile(lambda *a: None)", "import sys\nseen = sys.getprofile() is None"],
  ["monitoring", "import sys\nsys.monitoring.use_tool_id(3, 'x')", "import sys\nseen = sys.monitoring.get_tool(3)"],
  [
    "filters of warnings",
    "import warnings\nwarnings.simplefilter('error')",
    "import warnings\nseen = [f[0] for f in warnings.filters]",
  ],
  [
    "the context of decimal",
    "import decimal\ndecimal.getcontext().prec = 5",
    "import decimal\nseen = str(decimal.Decimal(1) / 7)",
  ],
  [
    "the default context of decimal",
    "import decimal\ndecimal.DefaultContext.prec = 4",
    "import decimal\nseen = decimal.DefaultContext.prec",
  ],
  ["a number that random keeps", "import random\nrandom.gauss(0, 1)", "import random\nseen = random.getstate()[2]"],
  ["the limit of recursion", "import sys\nsys.setrecursionlimit(321)", "import sys\nseen = sys.getrecursionlimit()"],
  [
    "the limit of digits",
    "import sys\nsys.set_int_max_str_digits(700)",
    "import sys\nseen = sys.get_int_max_str_digits()",
  ],
  [
    "the collector",
    "import gc\ngc.disable()\ngc.set_threshold(9, 9, 9)\ngc.callbacks.append(print)\ngc.freeze()",
    "import gc\nseen = [gc.isenabled(), gc.get_threshold(), len(gc.callbacks), gc.get_freeze_count()]",
  ],
  ["functions at the end", "import atexit\natexit.register(int)", "import atexit\nseen = atexit._ncallbacks()"],
  [
    "a finalizer",
    "import weakref, sys\nclass A: pass\nsys.a = A()\nsys.gone = []\nweakref.finalize(sys.a, sys.gone.append, 1)\ndel sys.a",
    "import sys, gc\ngc.collect()\nseen = getattr(sys, 'gone', None)",
  ],
  [
    "the policy of asyncio",
    "import asyncio.events as e\ne._event_loop_policy = 'secret'",
    "import asyncio.events as e\nseen = str(e._event_loop_policy)[:6]",
  ],
  [
    "asyncio itself",
    "import asyncio\nasyncio.sleep = None\nasyncio.secret = 1",
    "import asyncio\nseen = [asyncio.sleep is None, hasattr(asyncio, 'secret')]",
  ],
  [
    "a pattern that was compiled",
    "import re\nre.compile('secret[0-9]+')",
    "import re\nseen = any('secret' in str(k) for k in re._cache)",
  ],
  [
    "a codec",
    "import codecs\ncodecs.register(lambda n: codecs.lookup('utf-8') if n == 'secret' else None)",
    "import codecs\ntry:\n  codecs.lookup('secret')\n  seen = 1\nexcept LookupError: seen = 0",
  ],
  [
    "a copier and a pickler",
    "import copyreg\ncopyreg.pickle(complex, str)",
    "import copyreg\nseen = str(copyreg.dispatch_table.get(complex))[:12]",
  ],
  [
    "an abstract class",
    "import collections.abc as a\na.Sized.register(int)",
    "import collections.abc as a\nseen = issubclass(int, a.Sized)",
  ],
  [
    "a text that was interned",
    "import sys\ns = sys.intern('secret text' * 3)\nsys.kept = id(s)",
    "import sys\nseen = hasattr(sys, 'kept')",
  ],
  ["interned integers", "import sys\nsys.kept = [i for i in range(10**5)]", "import sys\nseen = hasattr(sys, 'kept')"],
  [
    "a context variable",
    "import contextvars, sys\nsys.v = contextvars.ContextVar('v')\nsys.v.set(1)",
    "import contextvars\nseen = len(contextvars.copy_context())",
  ],
  ["the switch interval", "import sys\nsys.setswitchinterval(9)", "import sys\nseen = sys.getswitchinterval()"],
  [
    "a logger",
    "import logging\nlogging.getLogger('x').setLevel(10)\nlogging.root.handlers.append(1)",
    "import logging\nseen = [logging.getLogger('x').level, len(logging.root.handlers)]",
  ],
  [
    "a csv dialect",
    "import csv\ncsv.register_dialect('secret', delimiter=';')\ncsv.field_size_limit(9)",
    "import csv\nseen = [csv.list_dialects(), csv.field_size_limit()]",
  ],
  [
    "a type's attribute",
    "import datetime, enum\nenum.Enum.secret = 1",
    "import enum\nseen = hasattr(enum.Enum, 'secret')",
  ],
  [
    "the code of a function",
    "import textwrap\ntextwrap.dedent.__code__ = (lambda t: 'x').__code__",
    "import textwrap\nseen = textwrap.dedent('  a')",
  ],
  [
    "defaults of a function",
    "import json\njson.dumps.__kwdefaults__['indent'] = 7",
    "import json\nseen = json.dumps([1])",
  ],
  [
    "a frozen constant",
    "import ast\nast.parse.__defaults__ = ('x', 'eval')",
    "import ast\nseen = ast.parse.__defaults__",
  ],
];

/** State outside of the interpreter's memory: files in memory, and objects of JavaScript. */
const OUTSIDE: readonly Leftover[] = [
  ["the working folder", "import os\nos.chdir('/lib')", "import os\nseen = os.getcwd()"],
  ["modes of a folder", "import os\nos.chmod('/lib', 0o700)", "import os\nseen = os.stat('/lib').st_mode"],
  [
    "times of a file",
    `import os\nos.utime('${FILE}', (5, 6))`,
    `import os\nseen = [os.stat('${FILE}').st_mtime, os.stat('${FILE}').st_atime]`,
  ],
  ["a descriptor", `import os\nos.open('${FILE}', os.O_RDONLY)`, `import os\nseen = os.open('${FILE}', os.O_RDONLY)`],
  [
    "a descriptor that was moved",
    `${OPENED}os.dup2(fd, 1)`,
    "import os\ntry: seen = os.read(1, 4)\nexcept OSError as e: seen = type(e).__name__",
  ],
  [
    "a descriptor that was closed",
    "import os\nos.close(2)",
    "import os\ntry: seen = os.fstat(2).st_mode\nexcept OSError as e: seen = e.errno",
  ],
  [
    "flags of a descriptor",
    "import fcntl, os\nfcntl.fcntl(1, fcntl.F_SETFL, os.O_APPEND)",
    "import fcntl\nseen = fcntl.fcntl(1, fcntl.F_GETFL)",
  ],
  ["bytes of the library", `${WRITABLE}os.pwrite(fd, b'SECRET', 100)`, AT_100],
  ["bytes of the library, at the position", `${WRITABLE}os.lseek(fd, 104, 0)\nos.write(fd, b'SECRET')`, AT_100],
  ["bytes of the library, in parts", `${WRITABLE}os.lseek(fd, 100, 0)\nos.writev(fd, [b'SEC', b'RET'])`, AT_100],
  [
    "bytes of the library, by a file object",
    `${WRITABLE}with open(fd, 'r+b', buffering=0) as file:\n  file.seek(100)\n  file.write(b'SECRET')`,
    AT_100,
  ],
  [
    "bytes of the library, shared with the memory",
    `${WRITABLE}import mmap\nm = mmap.mmap(fd, 4096, mmap.MAP_SHARED, mmap.PROT_READ | mmap.PROT_WRITE)\nm[100:106] = b'SECRET'\nm.flush()\nm.close()`,
    AT_100,
  ],
  [
    "the end of the library",
    `${WRITABLE}os.lseek(fd, 0, 2)\nos.write(fd, b'SECRET')`,
    `import os\nseen = os.stat('${FILE}').st_size`,
  ],
  [
    "the name of a host",
    `${native("_socket")}C.gethostbyname('secret.example')`,
    `${native("_socket")}${shownOr("C.gethostbyaddr('172.29.1.0')")}`,
  ],
  [
    "the number of a pipe",
    "import posix\nposix.pipe()",
    `import os, posix\n${shownOr("os.readlink(f'/proc/self/fd/{posix.pipe()[0]}')")}`,
  ],
  ["a property of the link", `${LINK}link.send.secret = 'x'`, `${LINK}seen = getattr(link.send, 'secret', 0)`],
  [
    "a property of all functions",
    `${LINK}link.send.__proto__.secret = 'x'`,
    `${LINK}seen = getattr(link.recv, 'secret', 0)`,
  ],
];

/** All of them. */
export const LEFTOVERS: readonly Leftover[] = [...INTERPRETER, ...OUTSIDE];
