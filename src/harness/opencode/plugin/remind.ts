/** What our plugins need of the CLI's interface for plugins (1.18). */
export interface Plugged {
  client: {
    session: {
      get(options: object): Promise<{ data?: { parentID?: string } }>
      messages(options: object): Promise<{ data?: unknown[] }>
      fork(options: object): Promise<{ data?: { id?: string }; error?: unknown }>
    }
    postSessionIdPermissionsPermissionId(options: object): Promise<unknown>
  }
  directory: string
  worktree: string
}

interface Message {
  sessionID: string
}
interface Written {
  message: { id: string }
  parts: { text?: string }[]
}

/** When an agent gets a text: with the first prompt of a process, with each later one, and after a compaction. */
type Told = 'startup' | 'resume' | 'prompt' | 'compact'

export type Remind = typeof remind

/**
 * The part of our plugins that puts texts into conversations. It goes into their files as it is here, so it names nothing outside of
 * itself. A sub-agent's session gets none: its goal is another one.
 *
 * @param recall  the text of a moment; '' = none
 */
export function remind(
  { client, directory }: Pick<Plugged, 'client' | 'directory'>,
  recall: (moment: Told, session: string) => Promise<string>,
) {
  const mains = new Map<string, string>()
  /** The session of which this is a sub-agent, at any depth; itself when it is none. */
  const mainOf = async (session: string): Promise<string> => {
    const known = mains.get(session)
    if (known !== undefined) return known
    let main = session
    for (const seen = new Set<string>(); !seen.has(main); ) {
      seen.add(main)
      const { data } = await client.session.get({ path: { id: main }, query: { directory } })
      main = data?.parentID ?? main
    }
    mains.set(session, main)
    return main
  }
  const isMain = async (session: string): Promise<boolean> => (await mainOf(session)) === session
  const momentOf = async (session: string): Promise<Told> => {
    if (told.has(session)) return 'prompt'
    told.add(session)
    const { data = [] } = await client.session.messages({ path: { id: session }, query: { directory, limit: 1 } })
    return data.length === 0 ? 'startup' : 'resume'
  }
  const told = new Set<string>()
  /** For sessions that were compacted in this process: what their agents are reminded of since; `null` = not asked for yet. */
  const reminders = new Map<string, string | null>()
  /** As the CLI makes them: by the time, so that it stands behind the parts that are there. */
  const partId = (): string => {
    const time = (BigInt(Date.now()) * 4_096n + 4_095n).toString(16).slice(-12).padStart(12, '0')
    return `prt_${time}${crypto.randomUUID().replaceAll('-', '').slice(0, 14)}`
  }

  return {
    mainOf,

    async 'chat.message'({ sessionID }: Message, { message, parts }: Written): Promise<void> {
      if (!(await isMain(sessionID))) return
      const text = await recall(await momentOf(sessionID), sessionID)
      const part = { id: partId(), sessionID, messageID: message.id, type: 'text', synthetic: true, text }
      if (text !== '') parts.push(part)
    },

    async 'experimental.session.compacting'({ sessionID }: Message): Promise<void> {
      if (await isMain(sessionID)) reminders.set(sessionID, null)
    },

    async 'experimental.chat.system.transform'(
      { sessionID }: Partial<Message>,
      { system }: { system: string[] },
    ): Promise<void> {
      if (sessionID === undefined || !reminders.has(sessionID)) return
      const text = reminders.get(sessionID) ?? (await recall('compact', sessionID))
      reminders.set(sessionID, text)
      if (text !== '') system.push(text)
    },
  }
}

/** A plugin as a file: the function as the program that runs has it, and its argument. */
export const pluginText = (plugin: (...given: never[]) => unknown, orders: object): string =>
  `export const Lodeline = (context) => (${plugin.toString()})(context, ${JSON.stringify(orders)}, ${remind.toString()})\n`
