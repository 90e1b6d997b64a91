/** To-dos `t` with the issues `i` that they were handed over to. */
export const TODO_TABLES = `todos t left join todo_promotions p on p.todo_id = t.id
  left join issues i on i.id = p.issue_id and i.is_deleted = 0`

/** A to-do's status: that of its issue counts where it is over. */
export const TODO_STATUS = `case when i.category = 'done' and t.status in ('pending', 'in_progress') then 'completed' else t.status end`
