"""Tell whether a reply is a text at all: not empty, refused, a tool call, cut off or broken."""

import zlib
from collections import Counter
from dataclasses import dataclass

import regex

from elision.compaction.summary.sections import bare
from elision.compaction.summary.types import Failure, Finish, SummaryReply

_SHORT = 600  # characters; a longer text that says it cannot do something is about something
_BROKEN_SHARE = 0.01
_REPEATED = 8  # times the same line, and more than half of all lines
_LOOPING = 25  # times smaller when packed: no prose is, a phrase again and again is
_LOOP_FROM = 2_000
# More characters than any tokeniser puts into one token on average; so much text is no summary.
_CHARS_PER_TOKEN = 16
_THOUGHT_ENDS = regex.compile(
    r"</(?:think|thinking|analysis|scratchpad|reasoning)>(?=[^\r\n])", regex.IGNORECASE
)
_SURROGATE = regex.compile(r"[\ud800-\udfff]")
_BROKEN = regex.compile(r"[\ufffd\u0000-\u0008\u000e-\u001a\u001c-\u001f\u007f-\u009f]")
_REFUSAL = regex.compile(
    r"""^\W*+(?:
        (?:(?:i['’]?m|i\sam|we['’]?re)\s(?:very\s|so\s)?sorry|sorry|apologies|unfortunately|my\sapologies|as\san\sai)[\s,.;:—-]
          .{0,80}?\b(?:can['’]?t|cannot|can\snot|unable|won['’]?t|not\sable|must\sdecline)\b
      | i\s(?:can['’]?t|cannot|can\snot|won['’]?t|must\sdecline|am\s(?:unable|not\sable)|['’]?m\s(?:unable|not\sable))\s.{0,40}?
          (?:assist|help|comply|fulfil|provide|do\sthat|continue|summari[sz]e|with\s(?:that|this)|process|engage)
      | i['’]m\s(?:unable|not\sable)\sto\b
      | (?:es\stut\smir\sleid|tut\smir\sleid|entschuldigung|leider).{0,80}?\b(?:kann|darf|nicht)\b | ich\skann\s(?:dabei|das|dir|ihnen).{0,40}?nicht
      | (?:je\ssuis\sdésolée?|désolée?).{0,80}?\b(?:ne\speux|ne\spuis|impossible)\b | je\sne\s(?:peux|puis)\spas
      | lo\s(?:siento|lamento).{0,80}?\b(?:no\spuedo|imposible)\b | no\spuedo\s(?:ayudar|asistir|cumplir)
      | (?:mi\sdispiace|spiacente).{0,80}?\bnon\sposso\b | non\sposso\s(?:aiutar|assister)
      | (?:desculpe|sinto\smuito|lamento).{0,80}?\bnão\sposso\b | não\sposso\s(?:ajudar|atender)
      | (?:извините|к\sсожалению|простите|прошу\sпрощения).{0,80}?\bне\s(?:могу|смогу)\b | я\sне\sмогу\s(?:помочь|выполнить)
      | (?:抱歉|对不起|對不起|很遗憾|非常抱歉).{0,60}?(?:无法|無法|不能|不可以) | 我(?:无法|無法|不能)(?:协助|協助|帮助|提供|完成|满足)
      | (?:申し訳|すみません|ごめん).{0,60}?(?:できません|できかね|いたしかね|お手伝い)
      | (?:죄송|미안).{0,60}?(?:없습니다|어렵습니다|못)
      | (?:üzgünüm|maalesef).{0,80}?\b(?:edemem|olamam|yapamam|\w*am[ıi]yorum|\w*em[ei]yorum)\b
      | (?:xin\slỗi|rất\stiếc).{0,80}?\bkhông\sthể\b
      | (?:عذر|آسف|أعتذر|للأسف).{0,80}?(?:لا\sأستطيع|لا\sيمكنني|لن\sأتمكن)
      | (?:क्षमा|माफ़|माफ|खेद).{0,80}?(?:नहीं\sकर\sसकता|नहीं\sकर\sसकती|असमर्थ)
    )""",
    regex.VERBOSE | regex.IGNORECASE | regex.DOTALL,
)
_CALL = regex.compile(
    r"""\s*+(?:```\w*+\s*+)?+(?:
        <\|?/?(?:antml:)?(?:tool_calls?|tool_use|function_calls?|invoke|tool_code|python_tag|tool▁calls▁begin|tool_calls_section_begin)\b
      | <function[=\s] | \[TOOL_CALLS?\] | <[｜|]tool | \[\s*+\{\s*+"(?:name|function|tool|type)"\s*+:
      | \{\s*+"(?:tool_calls|tool_call|function_call)"\s*+: | functions\.\w++\s*+(?:\(|:)
      | \{\s*+"(?:name|tool|tool_name|function|recipient_name)"\s*+:\s*+"[\w.\-]++"\s*+,\s*+"(?:arguments|parameters|args|input|tool_input|params)"\s*+:
      | \{\s*+"type"\s*+:\s*+"(?:function|tool_use|function_call|tool_call)"
    )""",
    regex.VERBOSE | regex.IGNORECASE,
)
# The tags of a call standing in the midst of a text: the protocol of another model.
CALL_TAGS = regex.compile(
    r"</?(?:antml:)?(?:tool_calls?|tool_use|function_calls?|invoke|tool_code)\b[^<>\r\n]{0,400}>|<function=[^<>\r\n]{0,200}>|\[TOOL_CALLS?\]|<\|(?:tool|python)\w*\|>",
    regex.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Read:
    """The words of a reply, or why there are none."""

    text: str
    failure: Failure | None = None
    detail: str = ""


def readable(reply: SummaryReply, max_tokens: int) -> Read:
    """The reply's text without scratchpads and fences, or what is wrong with it.

    Args:
        reply: What the writer wrote.
        max_tokens: What it was allowed; as many written means that it was cut off.
    """
    if reply.finish in _FINISHES:
        return Read("", *_FINISHES[reply.finish])
    if reply.output_tokens >= max_tokens:
        return Read(
            "", Failure.CAPPED, f"it wrote {reply.output_tokens} tokens where {max_tokens} are allowed"
        )
    if len(reply.text) > _CHARS_PER_TOKEN * max_tokens:
        return Read(
            "", Failure.MALFORMED, f"{len(reply.text)} characters are more than {max_tokens} tokens hold"
        )
    # Some writers go on in the line where their thoughts end.
    text = bare(str(_THOUGHT_ENDS.sub(r"\g<0>\n", _SURROGATE.sub("\ufffd", reply.text))))
    failure, detail = _wrong(text)
    return Read("" if failure else _BROKEN.sub("", text), failure, detail)


_FINISHES = {
    Finish.REFUSAL: (Failure.REFUSED, "the provider says that it refused"),
    Finish.TOOL_CALL: (Failure.TOOL_CALL, "it called a tool instead of writing"),
    Finish.LENGTH: (Failure.CAPPED, "it was cut off at its longest output"),
}


def _wrong(text: str) -> tuple[Failure | None, str]:
    if not any(map(str.isalnum, text)):
        return Failure.EMPTY, "it wrote no word"
    if _CALL.match(text):
        return Failure.TOOL_CALL, "it wrote a tool call instead of a summary"
    if len(text) <= _SHORT and _REFUSAL.match(text):
        return Failure.REFUSED, f"it refused: {text[:80]!r}"
    broken = sum(1 for _ in _BROKEN.finditer(text))
    if broken > _BROKEN_SHARE * len(text):
        return Failure.MALFORMED, f"{broken} of {len(text)} characters are broken"
    return _looping(text)


def _looping(text: str) -> tuple[Failure | None, str]:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    line, times = Counter(lines).most_common(1)[0]
    if times >= _REPEATED and 2 * times > len(lines):
        return Failure.MALFORMED, f"{times} of {len(lines)} lines are {line[:60]!r}"
    raw = text.encode()
    if len(raw) >= _LOOP_FROM and len(raw) > _LOOPING * len(zlib.compress(raw)):
        return Failure.MALFORMED, "it says the same again and again"
    return None, ""
