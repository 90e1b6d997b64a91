/** Machines of the fleet. A machine has the name of its worker; `agents.list` shows them. */
import { AGENT_LIMITS } from '../../../../domain/agent'
import { OPERATOR } from '../../callers'
import { type Fields, json, noun } from '../../operation'

const named = (f: Fields) => f.strictObject({ name: f.text(AGENT_LIMITS.name) })

export const machines = noun('machines', {
  drain: {
    method: 'POST',
    path: '/api/machines/:name/drain',
    access: OPERATOR,
    summary: 'Give a machine no new tasks; what it runs goes on',
    params: named,
    ids: 'as given',
    answer: json((schemas) => schemas.OneAgent),
  },
  resume: {
    method: 'POST',
    path: '/api/machines/:name/resume',
    access: OPERATOR,
    summary: 'Give a drained machine tasks again',
    params: named,
    ids: 'as given',
    answer: json((schemas) => schemas.OneAgent),
  },
  remove: {
    method: 'DELETE',
    path: '/api/machines/:name',
    access: OPERATOR,
    givesAccess: 'tracked',
    summary: 'Take a machine out of the fleet: its access and its attempts end',
    params: named,
    ids: 'as given',
    answer: 'empty',
  },
})
