import { resolve } from 'node:path'
import { AppError } from '../../../domain/errors'
import { CHANNEL_KIND_NAMES, CHANNEL_KINDS, type ChannelKind } from '../../../domain/notify/channel-kind'
import { DEFAULT_EVENTS, NOTIFY_EVENTS, type NotifyEvent } from '../../../domain/notify/notify-event'
import { parseQuietSpan } from '../../../domain/notify/quiet-hours'
import { projectOf } from '../../../util/git/git-project'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import type { Context } from '../../kit/context'
import { parseSpan } from '../../print/moments'
import { oneLine } from '../../print/text'

const SECRET_BYTES = 10_000

export const command = defineCommand({
  summary: 'Add a channel by which Lodeline tells you what needs you, or change it',
  details: [
    'What TARGET is, for each KIND:',
    ...CHANNEL_KIND_NAMES.map(
      (kind) => `  ${kind.padEnd(10)}${CHANNEL_KINDS[kind].targetHelp || 'the screen of this machine'}`,
    ),
    '',
    "A TARGET of - is read from stdin, which keeps it out of your shell's history. An existing NAME changes only what you pass.",
    'ntfy and webhook carry buttons to allow and deny, if server.publicUrl is set.',
    'A command runs only where the setting notify.commands allows it.',
  ].join('\n'),
  args: [
    { name: 'KIND', help: CHANNEL_KIND_NAMES.join(', '), complete: CHANNEL_KIND_NAMES },
    { name: 'NAME', help: 'what you call the channel' },
    { name: 'TARGET', help: 'where it leads; a command follows --', isOptional: true, isRepeated: true },
  ],
  options: {
    on: {
      kind: 'text',
      value: 'EVENT',
      choices: NOTIFY_EVENTS,
      isRepeated: true,
      help: `tell this only (repeat for more): ${NOTIFY_EVENTS.join(', ')}. Default: ${DEFAULT_EVENTS.join(', ')}`,
    },
    project: {
      kind: 'text',
      value: 'DIR',
      help: 'only what is of the project of this folder; - = all',
      complete: 'folder',
    },
    after: { kind: 'text', value: 'SPAN', help: 'only what still stands after this time, such as 2m; 0s = at once' },
    pause: { kind: 'text', value: 'HH:MM-HH:MM', help: 'tell nothing in this time of the day; off = always tell' },
    zone: { kind: 'text', value: 'ZONE', help: 'the time zone of --pause (default: the one of this machine)' },
    secret: { kind: 'text', value: 'FILE', help: 'a file with the token or password; - reads stdin', complete: 'file' },
    via: {
      kind: 'text',
      value: 'URL',
      help: 'the mail server, smtps://USER@HOST; or a Telegram server of your own',
    },
    from: { kind: 'text', value: 'MAIL', help: 'who mails are from (default: the receiver)' },
  },
  examples: [
    {
      line: 'lode notify add ntfy phone https://ntfy.sh/my-secret-topic --pause 22:00-07:00',
      does: 'your phone, but not at night',
    },
    {
      line: 'lode notify add slack team - --on failure',
      does: 'a Slack webhook, typed or piped in, told of what failed',
    },
    {
      line: 'lode notify add email me ann@example.org --via smtps://ann@mail.example.org --secret ~/.mail',
      does: 'a mail',
    },
    { line: 'lode notify add desktop here --after 2m', does: 'this screen, for what waits for two minutes' },
    { line: 'lode notify add command say -- /usr/bin/espeak --stdin', does: 'a program' },
  ],
  async run(context, { args: [typed = '', name = '', ...target], options }) {
    const fail = usageError(context.path)
    const kind = CHANNEL_KIND_NAMES.find((one) => one === typed)
    if (kind === undefined) throw fail(`KIND must be one of ${CHANNEL_KIND_NAMES.join(', ')}.`)
    if (target[0] === '-' && options.secret === '-')
      throw fail('Read either the target or the secret from stdin, not both.')
    const answer = await (await context.client()).notify.put(name, {
      kind,
      target: await targetOf(context, kind, target),
      secret: options.secret === undefined ? undefined : await secretOf(context, options.secret),
      server: options.via,
      sender: options.from,
      ...(options.on.length > 0 && { events: options.on as NotifyEvent[] }),
      ...(options.project !== undefined && { project: projectIn(context, options.project) }),
      ...(options.pause !== undefined && { quiet: quietOf(options.pause, options.zone) }),
      ...(options.after !== undefined && { afterMs: parseSpan('--after', options.after) }),
    })
    context.answer(answer, () =>
      answer.secret === null ? oneLine(`saved ${answer.channel.name}`).concat('\n') : `${answer.secret}\n`,
    )
    if (context.globals.isJson) return
    if (answer.secret !== null)
      context.note(`this secret signs what ${oneLine(answer.channel.name)} gets; it won't be shown again.`)
    context.note(oneLine(`'lode notify test ${answer.channel.name}' sends a test.`))

    function quietOf(text: string, zone = Intl.DateTimeFormat().resolvedOptions().timeZone) {
      if (text === 'off') return null
      const span = parseQuietSpan(text)
      if (span === null) throw fail('--pause must be a time of the day such as 22:00-07:00, or off.')
      return { ...span, zone }
    }
  },
})

async function targetOf(
  context: Context,
  kind: ChannelKind,
  words: readonly string[],
): Promise<string | string[] | undefined> {
  if (words.length === 0) return undefined
  if (CHANNEL_KINDS[kind].target === 'argv') return [...words]
  if (words.length > 1) throw usageError(context.path)(`A ${kind} channel has one TARGET.`)
  return words[0] === '-' ? await typedSecret(context, 'Target: ') : words[0]
}

async function secretOf(context: Context, file: string): Promise<string> {
  if (file === '-') return await typedSecret(context, 'Secret: ')
  const path = resolve(context.io.cwd, file)
  try {
    return (await Bun.file(path).text()).trim()
  } catch {
    throw new AppError('not_found', `The file ${path} can't be read.`, {
      hint: 'Write the secret into it, and nothing else.',
    })
  }
}

const typedSecret = async ({ io }: Context, question: string): Promise<string> =>
  (io.isInTerminal && io.canAsk ? io.askSecret(question) : await io.readInput(SECRET_BYTES)).trim()

const projectIn = ({ io }: Context, folder: string): string | null =>
  folder === '-' ? null : projectOf(resolve(io.cwd, folder)).root
