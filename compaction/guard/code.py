"""Find source code: numbered listings, search hits, and lines that look like code.

Context decides what one line cannot: an indented line after code is code (a docstring, say),
and so is a comment that touches code.
"""

import regex

_NUMBERED = regex.compile(r"\s*\d{1,7}(?:[→│█┃\t]|\s{1,4}[|│┃](?:\s|$)|[:-](?:\s{0,2}$|(?!\d|\s\d)[^\d\n]))|\s*[│┃⋮]|\.\.\.⋮|\s{1,8}\|\s(?!.{0,500}\|\s*$)|\s*--\s*$")
_HIT = regex.compile(
    r"(?:\./|~/|/|[A-Za-z]:\\)?(?:[\w.@+~\-]+[/\\])*[\w.@+~\-]+\.[A-Za-z]\w{0,9}(?:[:-]\d{1,7}(?:[:-]\d{1,5})?[:-]|:(?=\S|\s{2})|-(?=\s{2,}))"
)
_STRONG = regex.compile(
    r"""
      \s*(?:def|class|async\sdef)\s\w+\s*[(:\[] | \s*(?:import|from)\s[\w.{*@"'][^.!?]*$ | \s*(?:@\w[\w.]*(?:\(.*\)?)?)\s*$
    | \s*(?:export|const|let|var|func|fn|pub|public|private|protected|static|final|struct|enum|interface|impl|namespace|package|type|mod|use|using|extern|typedef|abstract|override|readonly|internal|module|require|include)\s(?=[^.!?]*[(){};=<"':]|[\w.:\\/{}*"']+;?\s*$)
    | \s*(?:if|elif|while|for|switch|catch|foreach|match|with)\s?\(.*[\){;]\s*$ | \s*(?:if|elif|else|while|for|try|except|finally|with|match|case|default)\b[^.!?]*:\s*$
    | \s*(?:return|raise|throw|yield|await|assert|del|break|continue|pass|goto|defer|go|print|echo|SELECT|INSERT|UPDATE|DELETE|CREATE|ALTER|DROP|FROM|WHERE|JOIN|GROUP\sBY|ORDER\sBY)\b(?=[^.!?]*[(){};="'\[\]*]|\s*\S*\s*;?$)
    | \s*\#\s*(?:include|define|ifdef|ifndef|endif|pragma|else|undef|if|!)\b | \#! | \s*(?://|/\*|\*/|<!--|--\s|;;|"{3}|'{3}|\{\#|\{%|%\}|<\?php)
    | \s*[)\]}]+[;,)]*\s*(?:\{|else|from|catch|as\s|:|=>|$)
    | \s*[\w.\[\]"'$*&]+(?:\s?:\s?[\w.\[\]<>|\s]+)?\s(?:=|:=|\+=|-=|\*=|\|=|\?\?=|\|\|=)\s\S | \s*[\w.$]+(?:::\w+)*\(.*\)?[;,)]*\s*$
    | \s*[.\w$]+\((?:[^()]|\([^()]*\))*\)(?:\.\w+\(.*)+ | \s*\.\w+\(.* | \s*[$%>]\s\S | \s*>>>\s | \s*\+\s(?=\S+\s-) | \$\{?\w+
    | \s*(?:"[^"]*"|'[^']*'|[\w.]+),\s*$
    """,
    regex.VERBOSE,
)
# What no sentence and no log line ends with.
_TAIL = frozenset("{};([\\+&|")
_TAILS = frozenset(("=>", "->", "||", "&&", "):", "]:", "},", "),", "],"))
_SIGN = regex.compile(r"==|!=|=>|->|::|&&|\|\||\+=|:=|<<|</|/>|\w\(\w*\)|\w\[\w*\]|\w\.\w+\(|\$\w|\w=\S|;\s*$|[{}]")
_COMMENT = regex.compile(r"\s*(?:#|//|/?\*|--|;|\"{3}|'{3}|%|REM\s|<!--)")


def numbered(row: str) -> bool:
    """Whether a row comes from a numbered listing, ``  12→code``, or a search, ``12:code``."""
    return bool(_NUMBERED.match(row))


def search_hit(row: str) -> bool:
    """Whether a row is a search hit, ``path:12:code`` or ``path:code``."""
    return bool(_HIT.match(row))


def looks_like_code(row: str) -> bool:
    """Whether a row looks like source code on its own."""
    body = row.rstrip()
    if body[-1:] in _TAIL or body[-2:] in _TAILS or _STRONG.match(row):
        return True
    words = row.count(" ") + 1
    return len(_SIGN.findall(row, 0, 600)) * 8 > words


def is_comment(row: str) -> bool:
    """Whether a row would be a comment if it stood in code."""
    return bool(_COMMENT.match(row))
