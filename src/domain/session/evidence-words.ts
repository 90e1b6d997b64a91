/** Places in which signs of life are found, as a person calls them. */
const SOURCES: Readonly<Record<string, string>> = {
  transcript: 'transcript',
  stream: 'output of the run',
  hook: 'hook',
  meta: 'file beside the transcript',
  rows: 'database of the CLI',
}

/** Signs whose own name says little. Any other is shown with blanks for its underscores. */
const SIGNS: Readonly<Record<string, string>> = {
  end: 'the end',
  end_turn: 'the turn ended',
  stop: 'the turn ended',
  result: 'the turn ended',
  init: 'a start',
  user: 'a prompt',
  tool_call: 'a tool call',
  tool_use: 'a tool call',
  tool_result: 'the result of a tool',
  can_use_tool: 'a question before a tool call',
  notification: 'a notice',
  compacted: 'a compaction',
  'session.shutdown': 'the CLI ended',
  'session.start': 'a start',
  'user.message': 'a prompt',
  'assistant.turn_end': 'the turn ended',
  'assistant.turn_start': 'a turn began',
}

const SIGN = /\b(transcript|stream|hook|meta|rows):([A-Za-z][\w.-]*)((?:\([^)]*\))?(?: \d+ \w+ ago)?)/g

/**
 * Why a status is what it is, for a person: `transcript:end_turn 2 s ago, process 4711 alive` is `the turn ended 2 s ago (transcript),
 * process 4711 alive`. The API and `--json` keep the short form.
 */
export const evidenceInWords = (evidence: string): string =>
  evidence.replace(SIGN, (_all, source: string, sign: string, rest: string) =>
    source === 'hook'
      ? `hook ${sign}${rest}`
      : `${SIGNS[sign] ?? sign.replace(/[_.]/g, ' ')}${rest} (${SOURCES[source] ?? source})`,
  )
