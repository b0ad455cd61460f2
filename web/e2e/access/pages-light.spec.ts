import { matrix } from "./matrix";

matrix("light");
