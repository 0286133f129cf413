# SPDX-License-Identifier: Apache-2.0
"""Which texts does `perdure load` meet, and what must become of each?

The outcomes are those of load_corpora.py. `wanted` stands where we differ from Python on purpose, or Python has
no reader; docs/decisions/2026-11-18-what-load-reads.md has the reasons. `by_value`: columns hold another spelling
of the same number or truth, as the table there says. Everywhere else a value is compared as it is written.
"""

import collections
import gzip
import io
import struct
import zipfile

Text = collections.namedtuple("Text", "name file data outcomes wanted separator words flags by_value",
                              defaults=(("equal",), None, ",", "", (), False))
EQUAL, REJECTED, REFUSED = ("equal",), ("rejected",), ("refused",)
IF_BUILT_IN = ("equal", "refused")  # zstd, where libzstd was found at build time
KEY = ("--key", "a")
UUID = "0123abcd-0000-0000-0000-00000000ffff"


def csv(name, text, *rest, **more):
    return Text(name, "case.csv", text if isinstance(text, bytes) else text.encode(), *rest, **more)


def lines(name, text, *rest, **more):
    return Text(name, "case.jsonl", text if isinstance(text, bytes) else text.encode(), *rest, **more)


def array(name, text, *rest, **more):
    return Text(name, "case.json", text.encode(), *rest, **more)


def zstd(data):
    """A zstd frame with one raw block (RFC 8878, 3.1.1): magic, single segment, size in one byte."""
    assert len(data) < 256
    return struct.pack("<IBB", 0xFD2FB528, 0x20, len(data)) + struct.pack("<I", 1 | len(data) << 3)[:3] + data


def xlsx():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as book:
        book.writestr("[Content_Types].xml", "<Types/>")
        book.writestr("xl/workbook.xml", "<workbook/>")
    return out.getvalue()


CSV = [
    # Shape: how many columns, and how the file ends.
    csv("plain", "id,name\n1,ada\n2,bob\n"),
    csv("one column", "name\nada\nbob\n"),
    csv("many columns", ",".join(f"c{n}" for n in range(300)) + "\n" + ",".join(map(str, range(300))) + "\n"),
    csv("no final newline", "id,name\n1,ada\n2,bob"),
    # Line ends: LF, CR LF and CR, mixed, in fields and in front of the end.
    csv("CR LF", "id,name\r\n1,ada\r\n2,bob\r\n"),
    csv("LF and CR LF mixed", "id,name\n1,ada\r\n2,bob\n"),
    csv("CR alone at every line end", "id,name\r1,ada\r2,bob\r"),
    csv("CR alone below a header in LF, one column", "a\n1\r2\r3\r"),
    csv("CR alone below a header in LF, two columns", "a,b\n1,x\r2,y\r"),
    csv("CR alone in a field", "a,b\nx\ry,2\n", REJECTED),
    csv("CR in front of the end of the file", "a,b\n1,2\r"),
    # Quotes: what may stand in them, doubled, in the middle of a field, text around them.
    csv("CR LF in quotes", 'a,b\n"x\r\ny",2\n'),
    csv("LF in quotes, in a file with CR LF", 'a,b\r\n"x\ny",2\r\n'),
    csv("CR in quotes", 'a,b\n"x\ry",2\n'),
    csv("empty lines in quotes", 'a,b\n"x\n\n\ny",2\n'),
    csv("a separator in quotes", 'a,b\n"x,y",2\n'),
    csv("doubled quotes", 'a,b\n"say ""hi""",2\n'),
    csv("nothing but doubled quotes", 'a,b\n"""",""""""\n'),
    csv("a quote in the middle of a field", 'a,b\nx"y,2\n'),
    csv("a quote at the end of a field", 'a,b\nx",2\n'),
    csv("quotes around a part of a field", 'a,b\nx"y"z,2\n'),
    csv("text behind the closing quote", 'a,b\n"x"y,2\n1,2\n', REJECTED),
    csv("a space behind the closing quote", 'a,b\n"x" ,2\n1,2\n', REJECTED),
    csv("a space in front of the opening quote", 'a,b\n1, "x"\n'),
    csv("a space in front of quotes with a separator in them", 'a,b\n1, "x,y"\n3,4\n', REJECTED),
    csv("a backslash in front of a quote", 'a,b\n"x\\",2\n'),
    # Spaces, tabs and names.
    csv("spaces around fields", "a,b\n 1 , x \n"),
    csv("spaces around names", " a , b \n1,2\n"),
    csv("a tab in a field", "a,b\nx\ty,2\n"),
    csv("quoted names", '"a","b, c"\n1,2\n'),
    csv("a line end in a name", '"a\nb",c\n1,2\n'),
    csv("quoted numbers", 'a,b\n"1","2"\n'),
    # Nothing: empty fields, lines, headers and files.
    csv("an empty field and an empty text", 'a,b\n1,\n2,""\n', EQUAL, [{"a": "1"}, {"a": "2", "b": ""}]),
    csv("only empty fields", "a,b\n,\n1,2\n"),
    csv("empty lines between rows", "a,b\n\n1,2\n\n\n3,4\n\n"),
    csv("empty lines in front of the header", "\n\na,b\n1,2\n"),
    csv("empty lines in a file of one column", "a\n1\n\n2\n"),
    csv("a line of spaces", "a,b\n1,2\n  \n3,4\n", REJECTED),
    # Rows with another number of fields than the header.
    csv("a field too few", "a,b\n1\n2,3\n", REJECTED),
    csv("a field too many", "a,b\n1,2,3\n4,5\n", REJECTED),
    csv("a separator at the end of each line", "a,b,\n1,2,\n", REFUSED),
    csv("a separator at the end of rows only", "a,b\n1,2,\n3,4,\n", REJECTED),
    # Almost empty files.
    csv("a header only", "a,b\n"),
    csv("a header only, without an end", "a,b"),
    csv("an empty file", "", REFUSED),
    csv("one newline", "\n", REFUSED),
    # Bytes: byte order marks, NUL, and what is not UTF-8.
    csv("a byte order mark", "\ufeffa,b\n1,2\n"),
    csv("a byte order mark and quotes", '\ufeff"a",b\n1,2\n'),
    csv("a byte order mark in the middle", "a,b\nx,2\n\ufeffy,4\n", REJECTED),
    csv("nothing but a byte order mark", "\ufeff", REFUSED),
    csv("a NUL in a field", "a,b\nx\0y,2\n3,4\n", REJECTED),
    csv("a NUL in quotes", 'a,b\n"x\0y",2\n3,4\n', REJECTED),
    csv("a NUL in a name", "a\0,b\n1,2\n", REFUSED),
    # Names: twice, empty, odd.
    csv("names twice", "a,a\n1,2\n", REFUSED),
    csv("names that differ in case only", "a,A\n1,2\n", REFUSED),
    csv("a name that is empty", "a,,c\n1,2,3\n", REFUSED),
    csv("names with quotes, spaces and words of SQL", 'select,"a ""b""",order by\n1,2,3\n'),
    csv("names beyond ASCII", "größe,名前,🙂\n1,2,3\n"),
    csv("text beyond ASCII", "a,b\nZoë,名前\n🙂,é\n"),
    csv("text that is not UTF-8", b"a,b\nZo\xeb,2\n3,4\n", REJECTED),
    csv("a header that is not UTF-8", b"gr\xf6\xdfe,b\n1,2\n", REFUSED),
    # Long and unfinished fields.
    csv("the end of a file inside of quotes", 'a,b\n1,2\n3,"x\n4,5\n', REFUSED, [{"a": "1", "b": "2"}]),
    csv("a long field", "a,b\n" + "x" * 200_000 + ",2\n"),
    # Numbers: their limits, and other spellings of them.
    csv("the limits of 64 bits", "a\n9223372036854775807\n-9223372036854775808\n0\n"),
    csv("beyond 64 bits", "a\n9223372036854775808\n-9223372036854775809\n"),
    csv("beyond 64 bits among others", "a\n1\n18446744073709551616\n"),
    csv("the ends of the doubles", "a\n0.1\n0.30000000000000004\n1.7976931348623157e308\n5e-324\n"),
    csv("beyond the doubles", "a\n1e400\n-1e400\n"),
    csv("more digits than a double has", "a\n3.14159265358979323846264338327950288\n"),
    csv("minus zero", "a\n-0\n-0.0\n", by_value=True),
    csv("zeros behind a decimal", "a\n1.10\n1.1\n2.0\n", by_value=True),
    csv("zeros behind a decimal, kept as text", "a\n1.10\n1.1\n2.0\n", flags=("--type", "a=text")),
    csv("exponents", "a\n1e3\n1E3\n1000.0\n2.5e-3\n", by_value=True),
    csv("decimals as a key", "a\n1.10\n1.1\n1.100\n1e3\n1000.0\n", flags=KEY),
    csv("integers and other spellings of them as a key", "a\n1\n01\n+1\n1.0\n1e0\n", flags=KEY),
    csv("integers as a key, and one of 65 bits", "a\n1\n18446744073709551616\n18446744073709551616.0\n", flags=KEY),
    csv("zeros in front", "a\n007\n010\n"),
    csv("a plus in front", "a\n+1\n+2\n"),
    csv("numbers with a dot at an end", "a\n1.\n.5\n"),
    csv("numbers with thousands", 'a\n"1,000"\n2\n'),
    csv("words for no number", "a\nNaN\nInfinity\n-inf\n"),
    csv("hexadecimal and underscores", "a\n0x10\n1_000\n"),
    # Words: nulls, truths, UUIDs, dates.
    csv("words for no value", "a,b\nNULL,1\nnull,2\nN/A,3\n\\N,4\n"),
    csv("true and false", "a\ntrue\nfalse\n", by_value=True),
    csv("True and False, as Python writes them", "a\nTrue\nFalse\n", by_value=True),
    csv("yes and no, t and f, Y and n", "a,b,c\nyes,t,Y\nNo,f,n\n", by_value=True),
    csv("yes and no beside another word", "a\nyes\nno\nmaybe\n"),
    csv("words for truths as a key", "a\nyes\nno\nYES\nNo\n", flags=KEY),
    csv("true and True as a key", "a\ntrue\nfalse\nTrue\n", flags=KEY),
    csv("UUIDs in two spellings", f"a\n{UUID}\n{UUID.upper()}\n"),
    csv("UUIDs in two spellings as a key", f"a\n{UUID.upper()}\n{UUID}\n", EQUAL, [{"a": UUID}], flags=KEY),
    csv("one point in time in two zones", "a\n2026-01-01T01:00:00+02:00\n2025-12-31 23:00:00Z\n"),
    csv("one point in time in two zones as a key", "a\n2026-01-01T01:00:00+02:00\n2025-12-31 23:00:00Z\n", EQUAL,
        [{"a": "2025-12-31T23:00:00Z"}], flags=KEY),
    csv("dates and times", "a,b\n2026-02-28,2026-02-28T10:00:00Z\n2024-02-29,1999-12-31T23:59:59+02:00\n"),
    csv("dates that are none", "a\n2026-02-28\n2026-02-30\n"),
    csv("JSON in a field", 'a,b\n"{""x"": [1, 2]}",2\n'),
    # Other separators.
    csv("semicolons", "id;name;price\n1;ada;2,5\n2;bob;3,5\n", EQUAL, None, ";"),
    csv("bars", "id|name\n1|ada\n2|bob\n", EQUAL, None, "|"),
    csv("tabs, in a file called .csv", "id\tname\n1\tada\n2\tbob\n", EQUAL, None, "\t"),
    Text("tabs", "case.tsv", b"id\tname\n1\tada, eve\n2\tbob\n", EQUAL, None, "\t"),
    csv("one column with semicolons in it", "note\na;b\nc\n", EQUAL),
    csv("commas, and semicolons in a name", "id,a;b\n1,x;y\n", EQUAL),
    # Packed files, other encodings, other formats.
    csv("gzip", gzip.compress(b"a,b\n1,2\n", mtime=0), EQUAL, [{"a": "1", "b": "2"}]),
    csv("gzip, two members", gzip.compress(b"a,b\n1,2\n", mtime=0) + gzip.compress(b"3,4\n", mtime=0), EQUAL,
        [{"a": "1", "b": "2"}, {"a": "3", "b": "4"}]),
    csv("gzip that is cut off", gzip.compress(b"a,b\n1,2\n", mtime=0)[:-6], REFUSED, [{"a": "1", "b": "2"}]),
    csv("zstd", zstd(b"a,b\n1,2\n"), IF_BUILT_IN, [{"a": "1", "b": "2"}], words="zstd"),
    csv("bzip2", b"BZh91AY&SY" + bytes(40), REFUSED),
    csv("UTF-16, little end first", "\ufeffa,b\n1,2\n".encode("utf-16-le"), REFUSED, [{"a": "1", "b": "2"}],
        words="UTF-16"),
    csv("UTF-16, big end first", "\ufeffa,b\n1,2\n".encode("utf-16-be"), REFUSED, [{"a": "1", "b": "2"}],
        words="UTF-16"),
    Text("xlsx", "case.xlsx", xlsx(), REFUSED, words="Excel"),
    csv("xlsx under the name of CSV", xlsx(), REFUSED, words="Excel"),
]

JSON = [
    # Lines: their ends and what stands between them.
    lines("plain", '{"id": 1, "name": "ada"}\n{"id": 2, "name": null}\n'),
    lines("no final newline", '{"id": 1}\n{"id": 2}'),
    lines("CR LF and empty lines", '{"id": 1}\r\n\r\n  \n{"id": 2}\r\n'),
    lines("a byte order mark", '\ufeff{"id": 1}\n'),
    lines("a byte order mark in the middle", '{"id": 1}\n\ufeff{"id": 2}\n', REJECTED),
    # Fields: missing, in another order.
    lines("fields that are missing or stand elsewhere", '{"a": 1, "b": 2}\n{"b": 3}\n{"b": 4, "a": 5}\n'),
    # Escapes and bytes.
    lines("escapes", '{"a": "\\u00e9\\n\\t\\"\\\\\\/\\ud83d\\ude42"}\n'),
    lines("an escaped NUL", '{"a": "x\\u0000y"}\n{"a": "z"}\n', REJECTED),
    lines("a lone surrogate", '{"a": "\\ud800"}\n{"a": "z"}\n', REJECTED),
    lines("a lone surrogate in a list", '{"a": ["\\ud800"]}\n{"a": ["z"]}\n'),
    lines("text that is not UTF-8", b'{"a": "Zo\xeb"}\n{"a": "z"}\n', REJECTED, [None, {"a": "z"}]),
    lines("a control character in a text", '{"a": "x\ty"}\n{"a": "z"}\n', REJECTED),
    # Names: twice, in other letters, empty, none.
    lines("a field twice", '{"a": 1, "a": 2}\n{"a": 3}\n', REJECTED),
    lines("a field twice, once escaped", '{"a": 1, "\\u0061": 2}\n{"a": 3}\n', REJECTED),
    lines("a field twice in an inner object", '{"a": {"b": 1, "b": 2}}\n'),
    lines("fields that differ in case only", '{"a": 1, "A": 2}\n', REFUSED),
    lines("a field without a name", '{"": 1, "a": 2}\n'),
    lines("an object without fields", '{}\n{"a": 1}\n'),
    # Numbers.
    lines("the limits of 64 bits", '{"a": 9223372036854775807}\n{"a": -9223372036854775808}\n'),
    lines("beyond 64 bits", '{"a": 9223372036854775808}\n{"a": 123456789012345678901234567890}\n'),
    lines("beyond the doubles", '{"a": 1e400}\n{"a": -1e400}\n'),
    lines("minus zero", '{"a": -0}\n{"a": -0.0}\n'),
    lines("exponents", '{"a": 1E5}\n{"a": 1e-7}\n{"a": 0.1}\n'),
    lines("more digits than a double has", '{"a": 3.14159265358979323846264338327950288}\n'),
    lines("numbers that are none", '{"a": 01}\n{"a": +1}\n{"a": .5}\n{"a": 1.}\n{"a": NaN}\n{"a": 7}\n', REJECTED),
    # Types, lists and depth.
    lines("numbers and texts in one field", '{"a": 1}\n{"a": "x"}\n{"a": true}\n{"a": null}\n'),
    lines("lists and objects", '{"a": [1, {"b": null}], "c": {}}\n'),
    lines("numbers in a list, as they are written", '{"a": [1.50, 1e400, -0, 12345678901234567890123]}\n'),
    lines("deep nesting", '{"a": %s%s}\n{"a": [1]}\n' % ("[" * 500, "]" * 500)),
    lines("very deep nesting", '{"a": %s%s}\n{"a": [1]}\n' % ("[" * 100_000, "]" * 100_000), ("equal", "rejected"),
          [{"a": "[" * 100_000 + "]" * 100_000}, {"a": "[1]"}]),
    # What is no JSON, or no object.
    lines("comments and single quotes", "{\"a\": 1} // x\n{'a': 2}\n{\"a\": 3}\n", REJECTED),
    lines("a comma behind the last field", '{"a": 1,}\n{"a": 2}\n', REJECTED),
    lines("two objects on a line", '{"a": 1} {"a": 2}\n{"a": 3}\n', REJECTED),
    lines("a comma behind each line", '{"a": 1},\n{"a": 2}\n', REJECTED),
    lines("scalars and lists between objects", '{"a": 1}\n7\n"x"\n[1]\nnull\n{"a": 2}\n', REJECTED),
    lines("a line that is cut off at the end", '{"a": 1}\n{"a": 2', REFUSED),
    # Encodings and packed files.
    lines("UTF-16", '\ufeff{"a": 1}\n'.encode("utf-16-le"), REFUSED, [None], words="UTF-16"),
    lines("gzip", gzip.compress(b'{"a": "x"}\n', mtime=0), EQUAL, [{"a": "x"}]),
    lines("zstd", zstd(b'{"a": "x"}\n'), IF_BUILT_IN, [{"a": "x"}], words="zstd"),
    # Arrays: how they are laid out.
    array("an array on one line", '[{"id": 1, "name": "ada"}, {"id": 2, "name": "bob"}]\n'),
    array("an array with a line for each element", '[\n{"id": 1},\n{"id": 2}\n]\n'),
    array("an array with commas in front", '[{"id": 1}\n,{"id": 2}\n]'),
    array("an array as a pretty-printer writes it", '[\n  {\n    "id": 1,\n    "tags": [\n      "x"\n    ]\n  },\n  {\n    "id": 2\n  }\n]\n'),
    array("an array with brackets and quotes in texts", '[{"a": "]}, {\\"["}, {"a": "\\\\"}]'),
    array("an array behind a byte order mark", '\ufeff[{"id": 1}]'),
    # Arrays of something else, and broken ones.
    array("an array without elements", "[]", REFUSED),
    array("an array of lists", "[[1, 2], [3, 4]]", REFUSED),
    array("an array of numbers", "[1, 2]", REFUSED),
    array("an array with a null between", '[{"id": 1}, null, {"id": 2}]', REJECTED),
    array("an array with a comma behind the last element", '[{"id": 1}, {"id": 2},]', REJECTED,
          [{"id": "1"}, {"id": "2"}]),
    array("an array with a missing comma", '[{"id": 1} {"id": 2}]', REJECTED, [{"id": "1"}, {"id": "2"}]),
    array("an array with a comma too many", '[{"id": 1},, {"id": 2}]', REJECTED, [{"id": "1"}, {"id": "2"}]),
    array("an array that is cut off behind an element", '[{"id": 1}, {"id": 2}', REFUSED, [{"id": "1"}, {"id": "2"}]),
    array("an array that is cut off in an element", '[{"id": 1}, {"id": ', REFUSED, [{"id": "1"}]),
    array("something behind an array", '[{"id": 1}] x', REFUSED, [{"id": "1"}]),
    array("two arrays", '[{"id": 1}]\n[{"id": 2}]\n', REFUSED, [{"id": "1"}, {"id": "2"}]),
    # Objects over several lines.
    array("one object over many lines", '{\n  "id": 1,\n  "name": "ada"\n}\n', REFUSED),
    array("objects over many lines, one after the other", '{\n"id": 1\n}\n{\n"id": 2\n}\n', REFUSED,
          [{"id": "1"}, {"id": "2"}]),
]
