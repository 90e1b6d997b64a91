// Lodeline's mod: what command hooks cannot tell. It tells the server which call and which parent launched a sub-agent, and that a turn was
// interrupted. It draws what needs the person, and has the command /lode. It wakes an idle session for a result or a question that it waits
// for. It decides nothing: hooks do the rest, with and without it.
//
// It works in interactive sessions alone, never in a task of Lodeline. One request is under way at a time, nobody waits for it, and after
// the first failure there is none until the person types /lode. All events here are known to 2.1.287, and a guard lets each of them pass.
import type { EngineInterface, Register } from 'claude-code'

/** Lodeline's folder; '' = the one that the environment names. `lode setup claude --mod` writes it here where it is another one. */
const HOME = ''
/** How often the server is asked what needs the person. */
const LOOK_MS = 5_000
/** Facts that wait for the request under way; what comes beside them is left to the transcript. */
const MOST_WAITING = 100
/** Characters of a title in the band, which has one line. */
const MOST_TITLE = 40

type View = {
  needs: { title: string; command: string | null }[]
  needsCount: number
  issue: { id: string; title: string } | null
  todos: { completed: number; total: number; current: string | null } | null
}

let isOn = false
let isGone = false
let isBusy = false
/** The main thread is in a turn. */
let isWorking = false
let waiting: string[] = []
let view: View | null = null
let agents: { id: string; status: string; description?: string }[] = []

async function socketOf($: EngineInterface): Promise<string> {
  const home = HOME || (await $.env.get('LODELINE_HOME')) || `${await $.env.get('HOME')}/.lodeline`
  return `${home}/mod.sock`
}

async function send($: EngineInterface): Promise<void> {
  if (isBusy || isGone || waiting.length === 0) return
  isBusy = true
  try {
    const socketPath = await socketOf($)
    while (waiting.length > 0) {
      const body = waiting.splice(0).join('\n')
      await $.http.fetch('http://lode/facts', { method: 'POST', body, socketPath })
    }
  } catch {
    isGone = true
    waiting = []
  } finally {
    isBusy = false
  }
}

async function tell($: EngineInterface, fact: Record<string, unknown>): Promise<void> {
  if (!isOn || isGone || waiting.length >= MOST_WAITING) return
  waiting.push(JSON.stringify({ ...fact, sessionId: await $.session.id() }))
  await send($)
}

async function look($: EngineInterface): Promise<void> {
  if (isBusy || isGone) return
  isBusy = true
  try {
    const socketPath = await socketOf($)
    const answer = await $.http.fetch(`http://lode/view?session=${await $.session.id()}`, { socketPath })
    view = JSON.parse(answer.text) as View
    agents = await $.agent.list()
    if (!isWorking) await wake($, socketPath)
  } catch {
    isGone = true
    view = null
  } finally {
    isBusy = false
  }
  $.ui.invalidate('ui.render')
  await send($)
}

/** Puts in what the session waits for. The server gives each once, and again only if the transcript shows that it did not arrive. */
async function wake($: EngineInterface, socketPath: string): Promise<void> {
  const url = `http://lode/wake?session=${await $.session.id()}`
  const { text } = await $.http.fetch(url, { method: 'POST', socketPath })
  const mail = (JSON.parse(text) as { text: string }).text
  if (mail !== '') void submit($, mail)
}

async function submit($: EngineInterface, text: string): Promise<void> {
  try {
    await $.prompt.submit({ text })
  } catch {
    // What became of it is seen in the transcript.
  }
}

/** What runs in the background, as the CLI itself knows it. */
const running = () => agents.filter(({ status }) => status === 'running')

/** The band's one line; '' = there is nothing to say. */
function band(): string {
  if (view === null) return ''
  const { needsCount, issue, todos } = view
  const first = view.needs[0]?.title.slice(0, MOST_TITLE)
  return [
    ...(needsCount > 0 ? [`${needsCount} ${needsCount === 1 ? 'needs' : 'need'} you${first ? `: ${first}` : ''}`] : []),
    ...(running().length > 0 ? [`${running().length} in the background`] : []),
    ...(issue ? [`${issue.id} ${issue.title.slice(0, MOST_TITLE)}`] : []),
    ...(todos && todos.total > 0 ? [`${todos.completed}/${todos.total}`] : []),
  ].join('  |  ')
}

function lines(): string[] {
  if (view === null) return ["Lodeline's server does not answer. 'lode up' starts it."]
  const { needs, needsCount, issue, todos } = view
  return [
    ...(issue ? [`Issue ${issue.id}: ${issue.title}`] : []),
    ...(todos && todos.total > 0 ? [`To-dos ${todos.completed}/${todos.total}${todos.current ? `: ${todos.current}` : ''}`] : []),
    ...(needsCount > 0 ? ['Needs you:'] : ['Nothing needs you.']),
    ...needs.flatMap(({ title, command }) => [`  ${title}`, ...(command ? [`      ${command}`] : [])]),
    ...(needsCount > needs.length ? [`  and ${needsCount - needs.length} more: lode top`] : []),
    ...(running().length > 0 ? ['In the background:'] : []),
    ...running().map(({ id, description }) => `  ${description ?? id}`),
  ]
}

export const register: Register = (on) => {
  on('session.start', async ($, e, next) => {
    const started = await next(e)
    // A run of Lodeline tells all of it by its output.
    const isRun = (await $.env.get('LODELINE_TASK_ID')) !== undefined
    if (!e.isInteractive || isRun || isOn) return started
    isOn = true
    await $.command.register({ name: 'lode', description: 'Show what needs you, what runs and the issue', immediate: true })
    $.clock.every(LOOK_MS, async () => {
      await look($)
    })
    void look($)
    return started
  })

  on('agent.spawn', async ($, e, next) => {
    const spawned = await next(e)
    void tell($, {
      kind: 'agent',
      agentId: spawned.agentId,
      parentAgentId: e.parentAgentId,
      toolUseId: e.tool_use_id,
      type: e.subagentType,
      description: e.description,
      isBackground: e.background === true,
    })
    return spawned
  })

  on('turn.start', async (_, e, next) => {
    if (e.agentId === undefined) isWorking = true
    return next(e)
  })

  on('turn.complete', async ($, e, next) => {
    if (e.agentId === undefined) isWorking = false
    if (e.reason === 'aborted') void tell($, { kind: 'interrupted', agentId: e.agentId })
    return next(e)
  })

  on('command.run', { command: 'lode' }, async ($) => {
    isGone = false
    await look($)
    if ((await $.session.surfaces()).length === 0) return { text: lines().join('\n') }
    await $.ui.open({ id: 'lode', title: 'Lodeline', focus: true, closeOnEscape: true })
    return {}
  })

  on('ui.render', { component: ['Pane', 'AbovePrompt'] }, async ($, e, next) => {
    const { Box, Text } = $.ui.resolve(e)
    const line = (text: string) => Text({ children: [text] })
    if (e.component === 'Pane')
      return e.requestId === 'lode' ? Box({ flexDirection: 'column', children: lines().map(line) }) : next(e)
    const text = band()
    if (text === '') return next(e)
    const others = await next(e)
    return Box({ flexDirection: 'column', children: [...(others ? [others] : []), line(`lode: ${text}`)] })
  })
}
