/**
 * What the demo's model says, word for word, and what must be in the record afterwards. The agent is real, its files are real;
 * only the model behind it reads from this page.
 */

/** What the model answers to one request. */
export interface Step {
  /** Told to the person who watches, when the model answers so. */
  say?: string
  text?: string
  tools?: { name: string; input: Record<string, unknown> }[]
  /** Milliseconds that the model thinks before it answers, at pace 1; 900 by default. */
  thinkMs?: number
  /** Tokens of the request, as the answer tells them; those of the request itself by default. */
  inputTokens?: number
  /** The model's API refuses: the account is at its usage limit. */
  isAtLimit?: boolean
  /** Holds the answer back until the scene of this name has given its last. */
  after?: SceneName
}

export type SceneName =
  | 'summary'
  | 'reported'
  | 'fix'
  | 'left'
  | 'cents'
  | 'search'
  | 'currencies'
  | 'tests'
  | 'task summary'
  | 'label'
  | 'labelled'
  | 'packing'
  | 'packing on'
  | 'publish'
  | 'published'
  | 'count'

/** Answers for one agent in one turn: the first for the turn's first request, and so on; the last is repeated. */
export interface Scene {
  name: SceneName
  /** `main` thread, or a `subagent`. */
  who: 'main' | 'subagent'
  /** Words of the prompt that started the turn (of a sub-agent: its task). */
  prompt: string
  /** Words that have to be somewhere in the conversation. */
  within?: string
  steps: Step[]
}

/** How the CLI asks for a summary of a conversation. */
export const ASKS_SUMMARY = 'Your task is to create a detailed summary'

/** The person's part: what is typed, in this order. */
export const PROMPTS = {
  fix: 'Fix the rounding of prices in the checkout.',
  compact: '/compact',
  left: 'What is left to do?',
  cents: 'Try it with integer cents instead.',
} as const

export const AGENTS = {
  search: { description: 'Find where prices are rounded', type: 'general-purpose', isBackground: false, parent: null },
  currencies: {
    description: 'Check the currency table',
    type: 'general-purpose',
    isBackground: false,
    parent: 'search',
  },
  tests: { description: 'Run the whole test suite', type: 'general-purpose', isBackground: true, parent: null },
} as const
export type StoryAgent = keyof typeof AGENTS

const agentCall = (name: StoryAgent, prompt: string) => ({
  name: 'Agent',
  input: {
    description: AGENTS[name].description,
    prompt,
    subagent_type: AGENTS[name].type,
    run_in_background: AGENTS[name].isBackground,
  },
})

/** To-dos as they stand at the end, by session. */
export const TODOS = {
  main: [
    { content: 'Find the wrong rounding', status: 'completed' },
    { content: 'Round half cents up, in one place', status: 'completed' },
    { content: 'Run all tests', status: 'completed' },
  ],
  fork: [{ content: 'Keep prices as integer cents', status: 'completed' }],
} as const

const todo = (subject: string, activeForm: string) => ({
  name: 'TaskCreate',
  input: { subject, description: subject, activeForm },
})
const mark = (taskId: string, status: 'in_progress' | 'completed') => ({
  name: 'TaskUpdate',
  input: { taskId, status },
})
export const shell = (description: string, command: string) => ({ name: 'Bash', input: { description, command } })

/** One line for each parcel that is packed. */
export const PARCELS_FILE = 'parcels.txt'

/** The small shop that the agent works on. */
export const PROJECT_FILES: Record<string, string> = {
  'checkout.js':
    "import { total } from './prices.js'\n\nexport const bill = (cart) => total(cart).toFixed(2) + ' EUR'\n",
  'prices.js':
    'export const total = (cart) => cart.reduce((sum, item) => sum + Math.floor(item.price * item.count * 100) / 100, 0)\n',
  'currencies.txt': 'EUR 2\nUSD 2\nJPY 0\n',
  [PARCELS_FILE]: '',
}

/**
 * The scenes, tried from the first to the last.
 *
 * @param pace  1 = so that a person can follow; 0 = without pauses.
 */
export function createScenes(pace: number): Scene[] {
  const pause = (seconds: number) => (pace === 0 ? '' : `sleep ${(seconds * pace).toFixed(1)}; `)
  return [
    {
      name: 'summary',
      who: 'main',
      prompt: ASKS_SUMMARY,
      steps: [
        {
          say: 'The conversation is compacted: the model writes a summary and continues from that alone.',
          text: '<summary>The user asked to fix the rounding of prices in the checkout. prices.js now rounds half cents up, in one place. All tests pass.</summary>',
        },
      ],
    },
    {
      name: 'reported',
      who: 'main',
      prompt: '<task-notification>',
      steps: [
        {
          say: 'The background agent has ended. Claude Code wakes the main agent with its report.',
          tools: [mark('3', 'completed')],
        },
        { text: 'All 24 tests pass. The rounding is fixed.' },
      ],
    },
    {
      name: 'fix',
      who: 'main',
      prompt: PROMPTS.fix,
      steps: [
        {
          say: 'The agent plans: three to-dos.',
          text: 'I will plan this first.',
          tools: [
            todo('Find the wrong rounding', 'Finding the wrong rounding'),
            todo('Round half cents up, in one place', 'Rounding half cents up'),
            todo('Run all tests', 'Running all tests'),
          ],
        },
        { tools: [mark('1', 'in_progress')] },
        {
          say: 'It sends a sub-agent ahead and waits for it.',
          text: 'Somebody should look through the code for me.',
          tools: [agentCall('search', 'SEARCH: find every place where a price is rounded')],
        },
        { tools: [mark('1', 'completed'), mark('2', 'in_progress')] },
        {
          say: 'It starts a second sub-agent in the background and continues to work.',
          text: 'The tests take a while, so they run beside me.',
          tools: [agentCall('tests', 'TESTS: run the whole test suite and report')],
        },
        {
          text: 'Now the fix.',
          tools: [
            shell(
              'Round half cents up',
              `${pause(1.5)}printf '%s\\n' 'const cents = (price) => Math.round(price * 100 + 1e-9)' 'export const total = (cart) => cart.reduce((sum, item) => sum + cents(item.price) * item.count, 0) / 100' > prices.js`,
            ),
          ],
        },
        { tools: [mark('2', 'completed'), mark('3', 'in_progress')] },
        {
          say: 'Its own turn is over; the background agent is still working.',
          text: 'The fix is in prices.js. The tests still run.',
        },
      ],
    },
    {
      name: 'left',
      who: 'main',
      prompt: PROMPTS.left,
      steps: [
        {
          say: 'After the compaction it still knows where it stood.',
          tools: [shell('Look at the fix', 'cat prices.js')],
        },
        { text: 'Nothing is left: the rounding is fixed and all tests pass.' },
      ],
    },
    {
      name: 'cents',
      who: 'main',
      prompt: PROMPTS.cents,
      steps: [
        {
          say: 'The fork knows all that went before. It has a to-do list of its own.',
          text: 'Another way, then.',
          tools: [todo('Keep prices as integer cents', 'Moving to integer cents')],
        },
        { tools: [shell('Try integer cents', `${pause(1)}sed 's/price/cents/g' prices.js > cents.js`)] },
        { tools: [mark('1', 'completed')] },
        { text: 'cents.js keeps prices as integer cents. prices.js is as it was.' },
      ],
    },
    {
      name: 'currencies',
      who: 'subagent',
      prompt: 'CURRENCIES:',
      steps: [
        { tools: [shell('Read the currency table', `${pause(1.2)}cat currencies.txt`)] },
        { text: 'Yen have no decimals; euros and dollars have two.' },
      ],
    },
    {
      name: 'search',
      who: 'subagent',
      prompt: 'SEARCH:',
      steps: [
        {
          text: 'Looking for roundings.',
          tools: [shell('Find roundings', `${pause(1)}grep -n 'floor\\|toFixed' *.js`)],
        },
        {
          say: 'The sub-agent launches one of its own: the tree is two levels deep now.',
          tools: [agentCall('currencies', 'CURRENCIES: which currencies have decimals?')],
        },
        { text: 'prices.js rounds down once per item; checkout.js only formats.' },
      ],
    },
    {
      name: 'tests',
      who: 'subagent',
      prompt: 'TESTS:',
      steps: [
        { tools: [shell('Run the unit tests', `${pause(2)}echo '18 passed'`)] },
        { tools: [shell('Run the browser tests', `${pause(2)}echo '6 passed'`)] },
        { text: '24 tests, all passed.', after: 'fix' },
      ],
    },
  ]
}
