/** The verbs that change a document, one entry each. */
export const writeVerbs = {};
