/**
 * How a caller may stand to what an operation is about: by subject, the relations with the words for them. The words complete a sentence:
 * "A run may do this only to …". `engine/access/relations.ts` says of each when it holds.
 */
export const SUBJECTS = {
  task: {
    own: 'the task that it has',
    made: 'tasks that it created',
    below: 'tasks that it created and tasks below those or its own',
    ownOrMade: 'tasks that it has or created',
    ownOrBelow: 'tasks that it has or created and tasks below those',
    family: 'its own tree, its plan and what it depends on',
    tree: 'the task that it has and tasks above and below it',
  },
  attempt: { own: 'attempts of its own machine' },
  session: { own: 'its own conversations' },
  agent: { self: 'itself' },
  address: { own: 'its own address' },
  message: { party: 'messages from or to itself', sender: 'messages that it sent' },
  receiver: { known: 'its own tree, who leads it, who gets its result, and who wrote to it' },
  folder: { own: 'its own project' },
  host: { own: 'its own machine' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>

type Subjects = typeof SUBJECTS
export type Subject = keyof Subjects
export type RelationTo<Of extends Subject> = keyof Subjects[Of] & string
