/**
 * Names of Python and of the formula library that are not supported. They distinguish unsupported formulas from wrong
 * ones. Remove a name when it gets implemented.
 */

const wordSet = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/).filter((word) => word !== ""));

/** Names that formulas can use without a qualifier. */
export const UNSUPPORTED_NAMES = wordSet(`
  datetime math re
  compile eval exec globals help input locals memoryview open __import__
  BaseExceptionGroup
`);

/** Unsupported attributes by type name. */
export const UNSUPPORTED_ATTRIBUTES: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ["Fraction", wordSet("from_decimal from_float real imag conjugate")],
  ["generator", wordSet("gi_code gi_frame gi_running gi_yieldfrom")],
  ["Counter", wordSet("fromkeys")],
  ["AltText", wordSet("")],
]);

/** Unsupported Python modules. */
export const UNSUPPORTED_MODULES = wordSet(`
  abc argparse array ast asyncio base64 bisect builtins bz2 calendar cmath codecs collections collections.abc colorsys
  contextlib copy csv ctypes dataclasses dateutil decimal difflib dis email encodings enum errno faulthandler fnmatch
  fractions functools gc getpass gettext glob graphlib gzip hashlib heapq hmac html html.parser http http.client imaplib
  importlib inspect io ipaddress itertools json keyword linecache locale logging lzma marshal math mimetypes
  multiprocessing numbers numpy operator os os.path pandas pathlib pickle platform pprint pytz queue quopri random re
  reprlib requests roman secrets select shelve shlex shutil signal six smtplib socket sqlite3 ssl stat statistics string
  stringprep struct subprocess sys sysconfig tempfile textwrap threading time timeit token tokenize traceback types
  typing unicodedata unittest urllib urllib.error urllib.parse urllib.request uuid warnings weakref webbrowser xml
  xml.etree xml.etree.ElementTree zipfile zlib zoneinfo __future__
`);
