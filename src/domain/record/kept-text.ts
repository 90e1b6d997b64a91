/** How many characters of a text the record keeps, whatever agent CLI it comes from. The journal has the whole. */
export const KEPT = {
  /** A prompt, a command or a result. */
  long: 20_000,
  /** A description, a type, a model. */
  short: 1_000,
  /** One of a to-do's texts. */
  todo: 4_000,
  /** The name of a line's kind, and a version: hostile lines may hold anything there. */
  name: 100,
} as const

/** To-dos of one list that are read: far more than a list that is worked on has. */
export const MOST_TODOS = 10_000

/** Parts of one message that are read: a message of a CLI has a few, only a hostile one has more. */
export const MOST_PARTS = 10_000
