/** Options that choose a range of a conversation's turns. */
export const RANGE_OPTIONS = {
  from: {
    kind: 'text',
    value: 'PLACE',
    help: 'the first turn: its number, a time or the ID of an event in it (default: the first)',
  },
  until: { kind: 'text', value: 'PLACE', help: 'the last turn, in the same way (default: the last)' },
} as const

/** The range, as requests have it. */
export const rangeOf = ({ from, until }: { from?: string | undefined; until?: string | undefined }) => ({
  ...(from !== undefined && { from }),
  ...(until !== undefined && { until }),
})
