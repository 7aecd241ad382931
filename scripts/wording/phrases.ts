/** Phrases that paraphrase a term of the field, each with what to write instead. Matched as whole words, in any case. */
export interface Phrase {
  readonly pattern: RegExp;
  readonly instead: string;
}

const phrase = (words: string, instead: string): Phrase => ({
  pattern: new RegExp(`(?<![\\w-])(?:${words})(?![\\w-])`, "gi"),
  instead,
});

export const PHRASES: readonly Phrase[] = [
  phrase("of late", "recently, or the name of the cache"),
  phrase("anew|afresh", "again, from scratch, re-…"),
  phrase("whoever|whomever", "the caller, the client, anyone who, any"),
  phrase("oneself|himself|herself|he|him|his|she|her|hers", "they, their; you"),
  phrase("by itself|of itself|by themselves", "automatically, separately, alone, on its own"),
  phrase("(?:is|are|was|were|be|being|been|gets?) (?:told|said)", "receives, is notified, is reported, returns"),
  phrase("it is said|is said to|said together", "name the mechanism"),
  phrase(
    "what (?:is|was|are|were) (?:asked|said|kept|sent|told|there|answered|found)(?: for)?",
    "the request, the message, the stored …",
  ),
  phrase("at rest", "idle, on disk"),
  phrase("under way", "in flight, in progress, running"),
  phrase("on (?:its|their) way", "in transit, in flight"),
  phrase("at all", "drop it"),
  phrase("lies|lie", "is, is stored, is located"),
  phrase("stands|stand", "is, is written, represents"),
  phrase("thing|things", "name the objects"),
  phrase("and the like|the like", "name them"),
  phrase("held against", "validated against"),
  phrase("turned away", "rejected, refused"),
  phrase("as ever|for ever|ever since", "as before, indefinitely"),
  phrase("as it stands|as they stand", "unchanged, verbatim"),
  phrase("is there|are there(?! any)|was there", "exists"),
  phrase("is no (?:text|number|list|object|date|file|id|name|workbook|document|table|column)", "is not a …"),
  phrase("a mistake of ours|mistakes of ours|of ours|of our own", "a bug; the server's own …"),
  phrase("is believed|believed", "trusted"),
  phrase("gives? back|given back|takes? away|taken away", "returns, releases; removes"),
  phrase("no business", "must not access"),
  phrase("what it (?:is|was|has|holds|says)", "name it"),
  phrase("those who|those that|they who", "callers that, users who; name them"),
  phrase("somebody|nobody|everybody|anybody", "someone → the user, a caller; no one → no caller; all users"),
  phrase("comes? (?:down to|of it)", "results in, is reduced to"),
  phrase("goes? with (?:it|them)", "is deleted with it"),
  phrase("for good(?! reason)", "permanently"),
  phrase("made (?:up )?of late|a moment ago|in one go|at one moment", "name the mechanism"),
];

/** A sentence that begins with a clause as its subject: "What is deleted goes to the trash." */
export const CLAUSE_SUBJECT = /(?:^|[.:;!] )(What|Whoever|Who|Whom|That which) (?![^.?!]*\?)\w+/g;
