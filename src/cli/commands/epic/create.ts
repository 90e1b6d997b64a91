import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'

export const command = defineCommand({
  summary: 'Create an epic: an issue that groups tasks',
  args: [{ name: 'TITLE', help: "the epic's title" }],
  options: {
    description: { kind: 'text', short: 'd', value: 'TEXT', help: 'the description' },
    priority: { kind: 'number', short: 'p', value: 'N', min: 0, max: 4, help: '0 (highest) to 4' },
    key: { kind: 'text', value: 'TEXT', help: 'idempotency key: the same key creates the epic only once' },
  },
  examples: [{ line: "lode epic create 'Move to the new parser' -p 1", does: 'create an epic and print its ID' }],
  keepsTodosInFile: true,
  async run(context, { args: [title = ''], options }) {
    const client = await context.client()
    const { description, priority, key } = options
    const created = await client.epics.create(
      { title, description, priority },
      key === undefined ? {} : { idempotencyKey: key },
    )
    context.answer(created, () => `${oneLine(`${created.epic.id} ${created.epic.status}: ${created.epic.title}`)}\n`)
  },
})
