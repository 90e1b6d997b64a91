/** The second act, word for word: tasks that a worker runs. As in `story.ts`, only the model reads from a page. */
import { ASKS_SUMMARY, PARCELS_FILE, type Scene, type Step, shell } from './story'

/** What there is to do, in this order; the second is a child of the first. */
export const TASKS = {
  pack: 'Pack the twenty parcels of today.',
  label: 'Write the word of the labels into words.txt.',
} as const

/** What the first task's agent says and the second's can only have from its conversation. */
export const WORD = 'MIRABELLE'
export const PARCEL_COUNT = 20
/** The number of packed items at which the first attempt is killed, with its shell at work. */
export const KILLED_AT = 4
/** The words that open a conversation after a compaction. */
const COMPACTED = 'This session is being continued from a previous conversation'

/**
 * Packs what is missing. Each parcel is a line with the next number, so two shells at work at once would leave a number twice.
 */
const pack = (pauseSeconds: number) =>
  shell(
    'Pack what is missing',
    `while n=$(($(wc -l < ${PARCELS_FILE}) + 1)); [ "$n" -le ${PARCEL_COUNT} ]; do echo "parcel $n" >> ${PARCELS_FILE}; sleep ${pauseSeconds}; done`,
  )

export function createTaskScenes(): Scene[] {
  const thinkMs = 300
  const steps = (...all: Step[]): Step[] => all.map((step) => ({ thinkMs, ...step }))
  const finish: Step = {
    tools: [{ name: 'mcp__lodeline__finish-task', input: { output: `words.txt says ${WORD}.` } }],
  }
  return [
    {
      name: 'task summary',
      who: 'main',
      prompt: ASKS_SUMMARY,
      within: TASKS.label,
      steps: steps({
        say: 'Its conversation is full: Claude Code has it summed up, in the middle of the task.',
        text: `<summary>All parcels are packed. The word on the labels is ${WORD}.</summary>`,
      }),
    },
    {
      name: 'label',
      who: 'main',
      prompt: TASKS.label,
      within: WORD,
      steps: steps(
        {
          say: "It knows the word from its parent's conversation.",
          tools: [shell('Write the word down', `echo ${WORD} > words.txt`)],
          // As much as fills the conversation: the CLI compacts it before it goes on.
          inputTokens: CONTEXT_TOKENS - 5_000,
        },
        { text: 'The word is written down.' },
      ),
    },
    {
      name: 'labelled',
      who: 'main',
      prompt: COMPACTED,
      // Not of the summary: of the reminder.
      within: TASKS.label,
      // Behind the summary the CLI keeps its last call, which counts as an answer already.
      steps: steps(
        finish,
        { say: 'It got its goal back, and reports that it is done with a tool of Lodeline.', ...finish },
        { text: 'Done.' },
      ),
    },
    {
      name: 'packing',
      who: 'main',
      prompt: TASKS.pack,
      steps: steps({ say: 'The agent packs, one parcel after the other, in a shell.', tools: [pack(0.3)] }),
    },
    {
      name: 'packing on',
      who: 'main',
      prompt: 'Continue task',
      within: TASKS.pack,
      steps: steps(
        {
          say: 'The same conversation continues. It checks how far it got before it repeats anything.',
          tools: [shell('Count the parcels', `wc -l < ${PARCELS_FILE}`)],
        },
        { tools: [pack(0.05)] },
        { text: `All ${PARCEL_COUNT} parcels are packed. The word on their labels is ${WORD}.` },
      ),
    },
  ]
}

/** The size of a conversation in tokens that the CLI is given (`CLAUDE_CODE_AUTO_COMPACT_WINDOW`). */
export const CONTEXT_TOKENS = 200_000
