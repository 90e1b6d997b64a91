import type { RunFileOptions } from '../../../domain/harness/harness-run'
import type { ListedTool } from '../../../domain/harness/listed-tool'
import { extensionText, type Parts, type Pi } from './parts'

/** The title of the question by which our extension asks about a tool call. Its text is the call, as JSON. */
export const TOOL_QUESTION = 'lodeline: tool call'
/** What it says once it is there: the CLI goes on without an extension that it can't load. */
export const READY = 'lodeline: ready'

interface Orders {
  question: string
  ready: string
  url: string
  tools: readonly ListedTool[]
}

/**
 * The extension of a run, which the CLI loads as a file of its own: it stands alone, and names nothing outside of itself.
 *
 * It asks us about each tool call before it happens, by a dialog, which in RPC mode goes over stdio; without an answer nothing is called.
 * It has Lodeline's tools, which call the server's MCP. It puts the recall in at the start, and after a compaction.
 */
function extension(pi: Pi, { question, ready, url, tools }: Orders, { addTools, tellMoments }: Parts): void {
  const { LODELINE_TOKEN: token = '', LODELINE_TASK_ID: task = '', LODELINE_RUN_DIR: folder } = process.env
  const base = url.replace(/\/+$/, '')
  const headers = { authorization: `Bearer ${token}` }

  let serial = 0
  const rpc = async (method: string, params: object, signal?: AbortSignal): Promise<Record<string, unknown>> => {
    const response = await fetch(`${base}/mcp`, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: ++serial, method, params }),
      redirect: 'error',
      ...(signal && { signal }),
    })
    const text = await response.text()
    // A stream of events has the answer in its last line of data.
    const data = text.startsWith('{')
      ? text
      : (text
          .match(/^data: ?(\{.*)$/gm)
          ?.at(-1)
          ?.replace(/^data: ?/, '') ?? '')
    if (data === '') throw new Error(`Lodeline answered ${response.status}.`)
    const { result, error } = JSON.parse(data)
    if (error) throw new Error(String(error.message))
    return result
  }

  /** What the worker wrote down when the run began. */
  const written = async (name: string): Promise<string | null> => {
    try {
      const { readFileSync } = await import('node:fs')
      return folder ? readFileSync(`${folder}/${name}`, 'utf8') : null
    } catch {
      return null
    }
  }
  const recall = async (moment: string): Promise<string> => {
    // Without a request at the start: the CLI would load for it what makes them, which takes longer than the request.
    const text = await written(`recall-${moment}.txt`)
    if (text !== null) return text
    try {
      const target = `${base}/api/tasks/${encodeURIComponent(task)}/recall?moment=${moment}`
      const response = await fetch(target, { headers, redirect: 'error', signal: AbortSignal.timeout(5_000) })
      if (response.ok) return await response.text()
      // The run is not known any more: there is nothing for it.
      if (response.status < 500) return ''
    } catch {
      // The server is away.
    }
    return (await written('recall.txt')) ?? ''
  }

  pi.on('tool_call', async ({ toolCallId, toolName, input }, { ui }) => {
    const answer = await ui.input(question, JSON.stringify({ toolCallId, name: toolName, input }))
    const { behavior, message } = JSON.parse(answer ?? '{}')
    return behavior === 'allow' ? undefined : { block: true, reason: message ?? 'It was not allowed.' }
  })

  addTools(pi, tools, (name, given, signal) => rpc('tools/call', { name, arguments: given }, signal))

  // Not before the handler above is there.
  pi.on('session_start', (_event, { ui }) => ui.notify(ready))

  // A run is given its messages by its worker.
  tellMoments(pi, async (moment) => (moment === null ? '' : await recall(moment)))
}

/** The extension as a file: the function above as the program that runs has it, and its run's facts. It holds no token. */
export function extensionFile({ serverUrl, tools }: Pick<RunFileOptions, 'serverUrl' | 'tools'>): string {
  const orders: Orders = { question: TOOL_QUESTION, ready: READY, url: serverUrl, tools }
  return extensionText(extension, orders)
}
