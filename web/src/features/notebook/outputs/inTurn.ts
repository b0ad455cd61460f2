import { mostCost } from "./blocks";

const waiting: { todo: () => void; cost: number }[] = [];
let frame = 0;

/** Does something in one of the next frames, in the order asked, and no more in one than the page can bear. */
export function inTurn(todo: () => void, cost: number): () => void {
  const turn = { todo, cost };
  waiting.push(turn);
  frame ||= requestAnimationFrame(next);
  return () => {
    const at = waiting.indexOf(turn);
    if (at >= 0) waiting.splice(at, 1);
  };
}

function next(): void {
  for (let spent = 0, turn; (turn = waiting[0]) && (spent === 0 || spent + turn.cost <= mostCost); spent += turn.cost) {
    waiting.shift();
    turn.todo();
  }
  frame = waiting.length > 0 ? requestAnimationFrame(next) : 0;
}
