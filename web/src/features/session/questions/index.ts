export { AnswerLine } from "./AnswerLine";
export { QuestionCard } from "./QuestionCard";
export { QuestionDock } from "./QuestionDock";
