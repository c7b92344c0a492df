"""Cut text of scripts that put no space between words into short runs.

No dictionary is used: a run ends where the script changes, at punctuation, before and after
a negation, and after a few graphemes. That is coarse, but it never cuts a grapheme, a
number with its counter, or a negation.
"""

import regex

from elision.compaction.guard import negation_words as words

UNSPACED = regex.compile(r"[\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]")
_COUNTERS = "年月日号號时時点點分秒个個人名位次元块塊美円圆圓万萬亿億千百度米里斤吨噸岁歳歲天周週回钟鐘℃℉件台本冊章节節页頁%％‰"
_OPENING = r"[\p{Ps}\p{Pi}\"'“‘]"
_CLOSING = r"(?:[\p{Pe}\p{Pf}\"'”’…。、，．！？；：,.!?;:～~·・](?![\w])|[。、，！？；：」』》〉）】〗”’…])"
_TAIL = rf"{_CLOSING}*+"
_IDEOGRAPHS = r"[\p{Han}\p{Hiragana}\p{Katakana}ー]{1,12}+"


def _at_first(words: str) -> str:
    """A pattern of many words that is tried only where one of them can begin: at each character, it costs."""
    plain = regex.sub(r"\(\?<?[!=][^)]*\)", "", words)
    firsts = "".join(regex.findall(r"(?:^|\|)\[?(\w+(?=\])|\w)", plain))
    return rf"(?=[{firsts}])(?:{words})"


_JAPANESE, _CHINESE, _THAI = map(_at_first, (words.JAPANESE, words.CHINESE, words.THAI))
_RUN = regex.compile(
    rf"""
    {_OPENING}*+
    (?:
        第?+ [￥¥$€£]?+ [+\-−±]?+ \d[\d.,:]*+ (?: [~～–\-] \d[\d.,]*+ )*+
            (?: 个?百分点 | [{_COUNTERS}]{{1,3}}+ (?: \d[\d.,]*+ [{_COUNTERS}]{{1,3}}+ )*+ )?+ (?! [A-Za-z_/\\@\#=] )  # 2024年5月3日, 1億2千万円
      | 第?+ [〇零一二三四五六七八九十百千万萬亿億两兩]{{2,}}+ [{_COUNTERS}]?+
      | (?: {_JAPANESE} | {_CHINESE} | {_THAI} ) \p{{M}}*+
      | https?:// (?: [!-~]++ | (?<= [/=_%-] ) {_IDEOGRAPHS} )++
      | (?: [\p{{Latin}}\p{{Greek}}\p{{Cyrillic}}\d_@#$%&+=<>/\\.:~^*|\-]++ \p{{M}}*+ | (?<= [/\\_=] ) {_IDEOGRAPHS} )++   # names, code, paths
      | (?: (?! {_CHINESE} | 第\d ) \p{{Han}} \p{{M}}*+ ){{1,2}}+
      | (?: [\p{{Katakana}}ーｰ] \p{{M}}*+ ){{1,12}}+
      | (?: (?! {_JAPANESE} ) \p{{Hiragana}} \p{{M}}*+ ){{1,3}}+
      | (?: (?! {_THAI} ) [\p{{Thai}}\p{{Lao}}] \p{{M}}*+
            (?: (?! {_THAI} ) (?![เแโใไເແໂໃໄ]) [\p{{Thai}}\p{{Lao}}] \p{{M}}*+ ){{0,3}}+ )
      | (?: [\p{{Khmer}}\p{{Myanmar}}] \p{{M}}*+ ){{1,4}}+
      | \X
    )
    {_TAIL}
    """,
    regex.VERBOSE,
)


def runs(text: str, start: int, stop: int) -> list[int]:
    """List where a new run begins inside ``[start, stop)``; a grapheme may straddle some of them."""
    return [match.start() for match in _RUN.finditer(text, start, stop)][1:]
