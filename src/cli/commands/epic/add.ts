import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { CREATE_OPTIONS, createRequest, TEXT_ARG } from '../../tasks/create-task'
import { noteWithoutServer, taskLine } from '../../tasks/task-move'

const { epic: _, ...OPTIONS } = CREATE_OPTIONS

export const command = defineCommand({
  summary: 'Create a task in an epic',
  args: [{ name: 'ID', help: "the epic's ID, or a unique prefix of it", complete: 'epic' }, TEXT_ARG],
  options: OPTIONS,
  examples: [{ line: "lode epic add ld-3k9q 'Port the lexer'", does: "like 'lode task create', but in the epic" }],
  keepsTodosInFile: true,
  async run(context, { args: [id = '', text = ''], options }) {
    const connection = await context.connection()
    const { client, url } = connection
    const request = await createRequest(context, connection, text, { ...options, epic: undefined })
    const { key } = options
    const created = await client.epics.createTask(id, request, key === undefined ? {} : { idempotencyKey: key })
    context.answer(created, () => `${taskLine(created.task)}\n`)
    if (context.globals.isJson) return
    if (created.routed !== null) context.note(oneLine(created.routed))
    noteWithoutServer(context, url)
  },
})
