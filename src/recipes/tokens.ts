// Estimates the tokens of a text, well enough for a budget. Claude's own tokenizer is not public.
// test/recipes/tokens.test.ts compares it with a public tokenizer and shows the error on English, code and CJK.

const PIECE =
  /[A-Za-z]+|\d+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]|\n+|[^\S\n]{2,}|[^\sA-Za-z\d]/gu;

export function countTokens(text: string): number {
  let tokens = 0;
  for (const [piece] of text.matchAll(PIECE))
    tokens += piece.length === 1 ? characterWeight(piece) : pieceWeight(piece);
  return Math.ceil(tokens);
}

/** Punctuation often joins its neighbour; a CJK character seldom does. */
const characterWeight = (piece: string): number => (piece.charCodeAt(0) < 128 ? 0.75 : 0.78);

function pieceWeight(piece: string): number {
  const first = piece.charCodeAt(0);
  if (first >= 48 && first <= 57) return piece.length / 3 + 0.3;
  if (first <= 32) return 0.6;
  // Common words are one token up to about nine letters; longer ones are cut.
  return piece.length <= 9 ? 1.03 : piece.length / 6;
}
