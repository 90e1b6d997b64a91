import { defineCommand } from '../command'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Create an epic: a work item that tasks belong to',
  args: [{ name: 'TITLE', help: 'its title' }],
  options: {
    description: { kind: 'text', short: 'd', value: 'TEXT', help: 'what it is about' },
    priority: { kind: 'number', short: 'p', value: 'N', min: 0, max: 4, help: '0 (highest) to 4' },
    key: { kind: 'text', value: 'TEXT', help: 'the same key makes the same epic only once' },
  },
  examples: [{ line: "lode epic create 'Move to the new parser' -p 1", does: 'its id is shown' }],
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
